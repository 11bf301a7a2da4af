/** Reads an OpenAPI document as a client would: its operations, and the schemas behind its references. */
import * as v from 'valibot';

/** A JSON schema; `true` and `false` are schemas too. */
export type JsonSchema = Record<string, unknown> | boolean;
export type Operation = {
  id: string;
  method: string;
  /** With `{name}` where an address goes. */
  path: string;
  scopes: string[];
  query: Record<string, JsonSchema>;
  /** Null when the operation has none. */
  body: JsonSchema | null;
  /** Whether it can be repeated under a key. */
  takesKey: boolean;
  /** What the answers with a status say, by status. */
  told: Map<number, string>;
  /** By status. */
  answers: Map<number, { media: string; schema: JsonSchema }>;
};
/** `told`: what webhooks get. */
export type Document = {
  operations: Operation[];
  schemas: Record<string, JsonSchema>;
  told: JsonSchema;
};

const schema = v.union([v.record(v.string(), v.unknown()), v.boolean()]);
const content = v.pipe(
  v.record(v.string(), v.object({ schema })),
  v.transform((all) => Object.entries(all).map(([media, entry]) => ({ media, ...entry }))),
  v.length(1),
);
const parameter = v.object({
  name: v.string(),
  in: v.picklist(['path', 'query', 'header']),
  schema,
});
const operation = v.object({
  operationId: v.string(),
  summary: v.string(),
  tags: v.pipe(v.array(v.string()), v.minLength(1)),
  security: v.array(v.record(v.string(), v.array(v.string()))),
  parameters: v.optional(v.array(parameter), []),
  requestBody: v.optional(v.object({ required: v.literal(true), content })),
  responses: v.record(
    v.pipe(v.string(), v.regex(/^[2-5]\d\d$/)),
    v.object({ description: v.pipe(v.string(), v.nonEmpty()), content }),
  ),
});
const told = v.object({
  operationId: v.literal('event'),
  parameters: v.array(v.object({ name: v.string(), in: v.literal('header'), schema })),
  requestBody: v.object({ required: v.literal(true), content }),
});
const shape = v.object({
  openapi: v.literal('3.1.0'),
  info: v.object({ title: v.string(), version: v.string() }),
  paths: v.record(
    v.pipe(v.string(), v.startsWith('/api/v1/')),
    v.record(v.picklist(['get', 'put', 'post', 'patch', 'delete']), operation),
  ),
  webhooks: v.object({ event: v.object({ post: told }) }),
  components: v.object({
    schemas: v.record(v.string(), schema),
    securitySchemes: v.object({
      bearer: v.object({ type: v.literal('http'), scheme: v.literal('bearer') }),
    }),
  }),
});

/** Throws when the document is not built as OpenAPI demands. */
export function readDocument(text: string): Document {
  const { paths, components, webhooks } = v.parse(shape, JSON.parse(text));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => read(path, method, described)),
  );
  const told = webhooks.event.post.requestBody.content[0]?.schema ?? false;
  return { operations, schemas: components.schemas, told };
}

function read(path: string, method: string, described: v.InferOutput<typeof operation>): Operation {
  const { operationId: id, security, parameters, requestBody, responses } = described;
  const inPath = parameters.filter((given) => given.in === 'path').map(({ name }) => `{${name}}`);
  const expected = path.match(/\{\w+\}/g) ?? [];
  if (String(inPath) !== String(expected)) throw new Error(`${path} has the wrong parameters`);
  const inQuery = parameters.filter((given) => given.in === 'query');
  return {
    id,
    method: method.toUpperCase(),
    path,
    scopes: security.flatMap(({ bearer = [] }) => bearer),
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    query: Object.fromEntries(inQuery.map((given) => [given.name, given.schema])),
    body: requestBody?.content[0]?.schema ?? null,
    told: new Map(
      Object.entries(responses).map(([status, { description }]) => [Number(status), description]),
    ),
    answers: new Map(
      Object.entries(responses).flatMap(([status, answer]) =>
        answer.content.map((entry) => [Number(status), entry] as const),
      ),
    ),
  };
}
