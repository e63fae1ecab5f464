/** An OpenAPI document as a list of operations by tag. It comes from outside: whatever is not as expected is left out. */

type Dict = Record<string, unknown>;

export interface Parameter {
  name: string;
  place: string;
  required: boolean;
  type: string;
  description: string;
}

export interface Operation {
  key: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  /** The schema of the body, its references followed. */
  body: unknown;
  responses: { status: string; description: string }[];
}

export interface TagGroup {
  tag: string;
  operations: Operation[];
}

const METHODS = ["get", "post", "put", "patch", "delete"];
/** Schemas may refer to themselves; deeper than this a reader does not go. */
const DEEPEST = 6;

const dict = (value: unknown): Dict => (typeof value === "object" && value !== null ? (value as Dict) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** What a local reference such as `#/components/schemas/Task` points to. */
function follow(document: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\//, "").split("/");
  return steps.reduce<unknown>(
    (value, step) => dict(value)[step.replaceAll("~1", "/").replaceAll("~0", "~")],
    document,
  );
}

/** A value with its references replaced by what they point to. */
function resolve(document: unknown, value: unknown, depth = 0): unknown {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => resolve(document, item, depth + 1));
  const reference = text(dict(value).$ref);
  if (reference) return resolve(document, follow(document, reference), depth + 1);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(document, item, depth + 1)]));
}

function typeOf(schema: Dict): string {
  if (Array.isArray(schema.type)) return list(schema.type).map(String).join(" or ");
  if (Array.isArray(schema.enum)) return list(schema.enum).map(String).join(", ");
  return text(schema.type) || "any";
}

function operationOf(document: unknown, path: string, method: string, shared: unknown[], operation: Dict): Operation {
  const parameters = [...shared, ...list(operation.parameters)].map((each): Parameter => {
    const parameter = dict(resolve(document, each));
    return {
      name: text(parameter.name),
      place: text(parameter.in),
      required: parameter.required === true,
      type: typeOf(dict(parameter.schema)),
      description: text(parameter.description),
    };
  });
  const content = dict(dict(resolve(document, operation.requestBody)).content);
  return {
    key: text(operation.operationId) || `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    summary: text(operation.summary),
    description: text(operation.description),
    parameters,
    body: dict(content["application/json"]).schema,
    responses: Object.entries(dict(operation.responses)).map(([status, response]) => ({
      status,
      description: text(dict(resolve(document, response)).description),
    })),
  };
}

/** The operations of a document, in its order, under their first tag. */
export function groupsOf(document: unknown): TagGroup[] {
  const groups = new Map<string, Operation[]>();
  for (const [path, item] of Object.entries(dict(dict(document).paths))) {
    const shared = list(dict(item).parameters);
    for (const method of METHODS.filter((name) => name in dict(item))) {
      const operation = dict(dict(item)[method]);
      const tag = text(list(operation.tags)[0]) || "other";
      groups.set(tag, [...(groups.get(tag) ?? []), operationOf(document, path, method, shared, operation)]);
    }
  }
  return [...groups].map(([tag, operations]) => ({ tag, operations }));
}
