import type { TemplateScope } from "./render-template.ts";

/** What a template knows of the node it is rendered for. */
export interface TemplateNode {
  readonly name: string;
  readonly address: string;
  readonly class: string;
  readonly os: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
}

/**
 * The variables of a role's templates (DESIGN §3.2): `node.name`, `node.address`, `node.class`, `node.os`,
 * `node.labels.<label>` and `node.vars.<var>`. A label with dots in its name is written with them.
 */
export function nodeScope(node: TemplateNode): TemplateScope {
  return new Map([
    ["node.name", node.name],
    ["node.address", node.address],
    ["node.class", node.class],
    ["node.os", node.os],
    ...Object.entries(node.labels).map(([label, value]): [string, string] => [`node.labels.${label}`, value]),
    ...Object.entries(node.vars).map(([name, value]): [string, string] => [`node.vars.${name}`, value]),
  ]);
}
