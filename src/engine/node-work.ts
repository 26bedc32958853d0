import type { DesiredState, Node, Role } from "../desired/desired-state.ts";
import { rolesOf } from "../desired/roles-of.ts";
import type { NodeTarget } from "../model/node.ts";
import { mergeQuestions, type NodeQuestions } from "../model/node-question.ts";
import type { Binding, SecretValues } from "../resources/contract.ts";
import { resourceType } from "../resources/index.ts";
import { nodeScope } from "../templates/node-scope.ts";

/** One node and what it should be: what a run needs to know of it. */
export interface NodeWork {
  readonly node: Node;
  readonly target: NodeTarget;
  /** In apply order, those that the run is about. */
  readonly roles: readonly Role[];
  /** Other enforced roles with services, which may have to be restarted for what these roles change (restarts-beside.ts). */
  readonly beside: readonly Role[];
  /** All roles of the node, as declared. */
  readonly everyRole: readonly Role[];
  /** All manifests of the repository, and the names that the run is about (null: all): for what was released. */
  readonly manifests: ReadonlyMap<string, Role>;
  readonly only: ReadonlySet<string> | null;
  /** Also when the node has none of these roles any more: to let go of what they left there. Left out: it is skipped then. */
  readonly letsGo?: boolean;
  readonly questions: NodeQuestions;
  /** Some of its resources hold secrets. */
  readonly confidential: boolean;
}

/** Roles of which steps may be taken. */
export function rolesAtWork({ roles, beside }: Pick<NodeWork, "roles" | "beside">): readonly Role[] {
  return beside.length === 0 ? roles : [...roles, ...beside];
}

/** `only`: names of roles to look at; null for all of the node's. */
export function nodeWork(
  state: DesiredState,
  node: Node,
  only: ReadonlySet<string> | null,
  secrets: SecretValues,
): NodeWork {
  const everyRole = rolesOf(node, state);
  const bound = everyRole.map((role) => bind(role, { secrets, scope: nodeScope(node) }));
  const roles = bound.filter(({ name }) => only === null || only.has(name));
  const beside = bound.filter((role) => !roles.includes(role) && role.mode === "enforce" && hasServices(role));
  const questions = [...roles, ...beside].flatMap((role) =>
    role.resources.map(({ record }) => resourceType(record.type).questions(record)),
  );
  const secretRefs = roles.flatMap((role) =>
    role.resources.flatMap(({ record }) => resourceType(record.type).secretRefs?.(record) ?? []),
  );
  const target = nodeTarget(state, node);
  return {
    node,
    target,
    roles,
    beside,
    everyRole,
    manifests: state.roles,
    only,
    questions: mergeQuestions(questions),
    confidential: secretRefs.length > 0,
  };
}

function hasServices({ resources }: Role): boolean {
  return resources.some(({ record }) => record.type === "systemd_unit");
}

function bind(role: Role, binding: Binding): Role {
  const resources = role.resources.map(
    (resource) => resourceType(resource.record.type).bind?.(resource, binding) ?? resource,
  );
  return { ...role, resources };
}

function nodeTarget(state: DesiredState, node: Node): NodeTarget {
  const jump = node.jump === null ? undefined : state.nodes.find((other) => other.name === node.jump);
  return {
    name: node.name,
    os: node.os,
    address: node.address,
    port: node.port,
    user: node.user,
    become: node.become,
    jump: jump === undefined ? null : nodeTarget(state, jump),
    connectTimeoutMs: state.fleet.defaults.connectTimeoutMs,
    stepTimeoutMs: state.fleet.defaults.stepTimeoutMs,
  };
}
