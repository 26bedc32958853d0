import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

/** GitHub's published description (contract.json, made by trim-contract.mjs), as far as the adapter uses it. */
type Json = Record<string, unknown>;
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
}
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly template: string;
  /** Values from the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly pointer: string;
}

const contract = JSON.parse(readFileSync(new URL("contract.json", import.meta.url), "utf8")) as {
  paths: Record<string, Record<string, Json & { operationId: string }>>;
  components: Record<string, Record<string, Json>>;
};
const ajv = new Ajv({ strict: false, inlineRefs: false, logger: false, allErrors: true });
(addFormats as unknown as (target: Ajv) => void)(ajv);
ajv.addSchema({ ...(withNulls(contract) as Json), $id: "github" });

const routes = Object.entries(contract.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    template,
    pattern: new RegExp(`^${template.replace(/[.]/g, "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
    pointer: `github#/paths/${template.replaceAll("/", "~1").replace(/[{}]/g, (one) => encodeURIComponent(one))}/${method}`,
  })),
);

/** The operation that a request means; literal paths win over those with variables. */
export function operationOf(method: string, path: string): Operation | undefined {
  const found = routes.filter((route) => route.method === method && route.pattern.test(path));
  found.sort((a, b) => (a.template.match(/\{/g)?.length ?? 0) - (b.template.match(/\{/g)?.length ?? 0));
  const [route] = found;
  if (route === undefined) return undefined;
  const groups = Object.entries(route.pattern.exec(path)?.groups ?? {});
  return { ...route, path: Object.fromEntries(groups.map(([name, value]) => [name, decodeURIComponent(value)])) };
}

/** What of a request is not as described; unknown parameters and properties too, though GitHub would let them pass. */
export function requestProblems(operation: Operation, query: URLSearchParams, body: unknown): string[] {
  const described = definitionOf(operation);
  const parameters = ((described.parameters ?? []) as Json[]).map((one) => resolved(one) as unknown as Parameter);
  const problems = parameters.flatMap((parameter, index) => {
    const given = parameter.in === "path" ? operation.path[parameter.name] : (query.get(parameter.name) ?? undefined);
    if (given === undefined) return parameter.required === true ? [`${parameter.name} is missing`] : [];
    const original = ((described.parameters as Json[])[index] as Json).$ref as string | undefined;
    const at = original === undefined ? `${operation.pointer}/parameters/${index}` : `github${original}`;
    return complaints(`${at}/schema`, coerced(given, parameter.schema.type), parameter.name);
  });
  const known = new Set(parameters.filter((one) => one.in === "query").map((one) => one.name));
  problems.push(
    ...[...query.keys()].filter((name) => !known.has(name)).map((name) => `query ${name} is not described`),
  );
  return [...problems, ...bodyProblems(operation, described, body)];
}

function bodyProblems(operation: Operation, described: Json, body: unknown): string[] {
  const content = (described.requestBody as { content?: Record<string, { schema: Json }> } | undefined)?.content;
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) return body === undefined ? [] : ["a body is not described"];
  const pointer = `${operation.pointer}/requestBody/content/application~1json/schema`;
  const names = propertiesOf(schema);
  const unknown = Object.keys((body ?? {}) as Json).filter((name) => !names.has(name));
  return [...complaints(pointer, body ?? {}, "body"), ...unknown.map((name) => `body.${name} is not described`)];
}

/** What of our own answer is not as described: a server that lies would prove nothing. */
export function responseProblems(operation: Operation, status: number, data: unknown): string[] {
  const responses = definitionOf(operation).responses as Record<string, Json>;
  const raw = responses[String(status)];
  // Refusals and trouble may come everywhere, described or not.
  if (raw === undefined) return status >= 400 ? errorProblems(data) : [`status ${status} is not described`];
  const reference = raw.$ref as string | undefined;
  const content = resolved(raw).content as Record<string, unknown> | undefined;
  if (content?.["application/json"] === undefined) return [];
  const at = reference === undefined ? `${operation.pointer}/responses/${status}` : `github${reference}`;
  return complaints(`${at}/content/application~1json/schema`, data, `${status}`).filter(
    (one) => !UNDESCRIBED.test(one),
  );
}

/** What GitHub answers though its description does not say so: the head of a pull request whose fork was deleted. */
const UNDESCRIBED = /\/head\/repo: must be object/;

const errorProblems = (data: unknown) => complaints("github#/components/schemas/basic-error", data, "error");

/** An example of GitHub's own, a fresh copy. */
export function exampleOf(name: string): Json {
  const example = contract.components.examples?.[name] ?? contract.components.responses?.[name];
  if (example === undefined) throw new Error(`GitHub's description has no example ${name}`);
  const { value } = example as { value: unknown };
  return structuredClone(Array.isArray(value) ? value[0] : value) as Json;
}

const compiled = new Map<string, ValidateFunction>();
function complaints(pointer: string, value: unknown, what: string): string[] {
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: pointer });
  compiled.set(pointer, validate);
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .slice(0, 6)
    .map((one) => `${what}${one.instancePath}: ${one.message} ${JSON.stringify(one.params)}`);
}

function definitionOf(operation: Operation): Json {
  return contract.paths[operation.template]?.[operation.method.toLowerCase()] ?? {};
}

function resolved(value: Json): Json {
  const [, , kind, name] = ((value.$ref as string | undefined) ?? "").split("/");
  return kind === undefined || name === undefined ? value : (contract.components[kind]?.[name] ?? {});
}

function propertiesOf(schema: Json): Set<string> {
  const inner = ["allOf", "anyOf", "oneOf"].flatMap((key) => (schema[key] ?? []) as Json[]);
  return new Set([
    ...Object.keys((schema.properties ?? {}) as Json),
    ...inner.flatMap((one) => [...propertiesOf(resolved(one))]),
  ]);
}

function coerced(text: string, type: string | undefined): unknown {
  if (type === "integer" || type === "number") return /^-?\d+$/.test(text) ? Number(text) : text;
  return type === "boolean" && /^(true|false)$/.test(text) ? text === "true" : text;
}

/** OpenAPI 3.0's `nullable` as JSON Schema says it. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls);
  if (value === null || typeof value !== "object") return value;
  const { nullable, ...rest } = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withNulls(one)]));
  if (nullable !== true) return nullable === undefined ? rest : { ...rest, nullable };
  return { anyOf: [rest, { type: "null" }] };
}
