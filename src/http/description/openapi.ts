/** Writes the OpenAPI 3.1 document from the same descriptions by which calls are checked. */
import { Hono } from 'hono';
import {
  type DescribeRouteOptions,
  describeRoute,
  generateSpecs,
  resolver,
  validator,
} from 'hono-openapi';
import { ERRORS, type ErrorEntry } from '../answers/errors.ts';
import { ASKED_BY, OUTCOME_ROWS } from '../checks/outcomes.ts';
import { ENDPOINTS } from '../endpoints/all.ts';
import { BASE, codesOf, type Endpoint, takesKey, X402_BASE } from '../endpoints/endpoint.ts';
import { X402_ENDPOINTS } from '../endpoints/x402.ts';
import { errors, event } from '../shapes/answers.ts';

export type OpenApi = Awaited<ReturnType<typeof generateSpecs>>;

const DESCRIPTION = `Amounts and all other numbers are decimal strings in answers (but a planned block), \
and decimal strings or JSON integers in requests. Calls are handled one at a time, in order of arrival; \
one that would wait too long is answered 503 \`too_many_calls\` and was not begun. \
Beside the answers listed, a path that is not listed is answered 404 and a method that is not listed 405 \
with the header \`Allow\`, both with \`errors\`. An internal failure is answered 500 once; then the API \
stops.

A call that can change something and is not answered 2xx says whether anything may still happen: in \`outcome\` beside \
\`errors\`, with the \`identifier\` of the payment that it has begun. An answer 500 says it in the headers \
\`Sluice-Outcome\` and \`Sluice-Identifier\`. A call without any answer is \`pending\`.

| outcome | means | what to do |
| --- | --- | --- |
${Object.entries(OUTCOME_ROWS)
  .map(([outcome, [means, then]]) => `| \`${outcome}\` | ${means} | ${then} |`)
  .join('\n')}

| call | what became of it, without a key |
| --- | --- |
${Object.entries(ASKED_BY)
  .map(([call, asked]) => `| \`${call}\` | ${asked} |`)
  .join('\n')}

With the header \`Idempotency-Key\` a POST, PUT or PATCH can be made again without doing anything twice: the same key with \
the same content joins what is under way, or is answered what became of it, until 24 hours after its end, over restarts \
and takeovers. With other content it is answered 422. A call that was refused before anything began is judged anew.`;

const X402_DESCRIPTION = `The node as a facilitator of x402 (version 2) for the scheme \`channel\`: \
a received payment is the proof, and is redeemed once. What is refused for what it is (a proof that is not good) is \
answered 200 with the reason; the other answers are those of the API. With the header \`Idempotency-Key\` a settlement or a \
release can be asked for again without doing it twice: use another key for each request that is served.`;

/** How valibot schemas become JSON schemas: with the types that a caller sends. */
const CONVERSION = { options: { typeMode: 'input' as const } };

/** `version`: the version of the program. */
export async function writeOpenApi(version: string): Promise<OpenApi> {
  const described = describedBy(ENDPOINTS, BASE);
  described.post(WEBHOOK, describeRoute(TOLD), validator('json', event, undefined, CONVERSION));
  const info = { title: 'Payment-channel node', version, description: DESCRIPTION };
  const document = await documentOf(described, info);
  demandOneField(document);
  return withWebhook(document);
}

/** The document of what x402 asks of a facilitator. */
export function writeX402OpenApi(version: string): Promise<OpenApi> {
  const info = { title: 'Payment-channel node: x402', version, description: X402_DESCRIPTION };
  return documentOf(describedBy(X402_ENDPOINTS, X402_BASE), info);
}

/** Never called: only its routes are read. */
function describedBy(endpoints: Record<string, Endpoint>, base: string): Hono {
  const described = new Hono();
  for (const [id, endpoint] of Object.entries(endpoints)) {
    const path = base + endpoint.path;
    described.on(endpoint.method, path, describeRoute(operation(id, endpoint)));
    const { body, query } = endpoint;
    if (query !== undefined)
      described.on(endpoint.method, path, validator('query', query, undefined, CONVERSION));
    if (body !== undefined)
      described.on(endpoint.method, path, validator('json', body, undefined, CONVERSION));
  }
  return described;
}

type Info = { title: string; version: string; description: string };

function documentOf(described: Hono, info: Info): Promise<OpenApi> {
  return generateSpecs(described, {
    excludeStaticFile: false,
    defaultValidationErrorResponse: false,
    documentation: {
      info: { ...info, license: { name: 'MIT' } },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
  });
}

/** The webhook's path while the document is being written; it is not a path of the node. */
const WEBHOOK = '/webhook';
const header = (name: string, description: string) => ({
  in: 'header' as const,
  name,
  required: true,
  description,
  schema: { type: 'string' as const },
});
const TOLD: DescribeRouteOptions = {
  operationId: 'event',
  tags: ['Events'],
  summary: 'Something happened in the node',
  description:
    'Posted to each URL of `--webhook`, in order, until it is answered with a status from 200 to 299.',
  parameters: [
    header('sluice-event-id', 'The number of the event, by which a repeated one is known.'),
    header(
      'sluice-signature',
      '`t=SECONDS,v1=HEX`: the HMAC-SHA256 of `SECONDS.BODY` with the secret of `--webhook-secret-file`.',
    ),
  ],
  responses: { 200: { description: 'The event was taken.' } },
};

function withWebhook({ paths, ...document }: OpenApi): OpenApi {
  const { [WEBHOOK]: webhook, ...own } = paths;
  if (webhook === undefined) throw new Error('the webhook is not described');
  return { ...document, paths: own, webhooks: { event: webhook } };
}

function operation(id: string, endpoint: Endpoint): DescribeRouteOptions {
  const { tag, summary, description, scope, path } = endpoint;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...parameters(names, endpoint),
    // The empty object says that a call without a token is allowed, too: a node may have no tokens.
    security: scope === 'open' ? [] : [{}, { bearer: [scope] }],
    responses: { [endpoint.status]: good(endpoint), ...refused(endpoint), 500: broken(endpoint) },
  };
}

/**
 * Adds to the document that exactly one field must be given: the schemas allow each to be absent, the route checks it.
 */
function demandOneField(document: OpenApi): void {
  for (const { method, path, hasOneField } of Object.values<Endpoint>(ENDPOINTS)) {
    if (hasOneField !== true) continue;
    const item = document.paths[(BASE + path).replaceAll(/:(\w+)/g, '{$1}')];
    const body = item?.[method === 'PATCH' ? 'patch' : 'post']?.requestBody;
    const schema = body && 'content' in body ? body.content['application/json']?.schema : undefined;
    if (schema === undefined || '$ref' in schema)
      throw new Error(`the body of ${method} ${path} is not described in its place`);
    const names = Object.keys(schema.properties ?? {});
    schema.oneOf = names.map((name) => onlyField(name, names));
  }
}

/** The schema for only this field given; a field that is null counts as absent. */
function onlyField(name: string, names: readonly string[]) {
  const others = names.filter((other) => other !== name);
  const absent = Object.fromEntries(others.map((other) => [other, { type: 'null' as const }]));
  return {
    required: [name],
    properties: { [name]: { not: { type: 'null' as const } }, ...absent },
  };
}

type Answers = NonNullable<DescribeRouteOptions['responses']>;

function good({ answer, media }: Endpoint): Answers[string] {
  return {
    description: 'Done.',
    content: { [media ?? 'application/json']: { schema: resolver(answer, CONVERSION) } },
  };
}

/** One answer per status, described by the sentences of all codes that have it. */
function refused(endpoint: Endpoint): Answers {
  const sentences = new Map<number, string[]>();
  const retries = new Set<number>();
  for (const code of codesOf(endpoint)) {
    const { status, text, advice = '', retryAfter }: ErrorEntry = ERRORS[code];
    const sentence = `- \`${code}\`: ${text} ${advice}`.trim();
    sentences.set(status, [...(sentences.get(status) ?? []), sentence]);
    if (retryAfter !== undefined) retries.add(status);
  }
  return Object.fromEntries(
    [...sentences].map(([status, texts]) => [
      status,
      {
        description: texts.join('\n'),
        ...(retries.has(status) ? { headers: RETRY_AFTER } : {}),
        content: { 'application/json': { schema: resolver(errors, CONVERSION) } },
      },
    ]),
  );
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which trying again makes sense; absent where nobody knows.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
};

const OUTCOME = {
  'Sluice-Outcome': {
    description: 'Whether anything may still happen.',
    schema: { type: 'string' as const, enum: Object.keys(OUTCOME_ROWS) },
  },
  'Sluice-Identifier': {
    description: 'That of the payment which the call has begun.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
};

const broken = ({ method }: Endpoint) => ({
  description: 'An internal failure. The API stops.',
  ...(method === 'GET' ? {} : { headers: OUTCOME }),
  content: {
    'text/plain': { schema: { type: 'string' as const, const: 'Internal server error' } },
  },
});

const KEY = {
  in: 'header' as const,
  name: 'Idempotency-Key',
  required: false,
  description:
    'Under which the call can be repeated: a string of 1 to 255 printable characters that no other call of the caller ' +
    'has, such as a UUID, in quotes or without.',
  schema: { type: 'string' as const, pattern: '^[!-~]{1,255}$' },
};

function parameters(names: readonly string[], endpoint: Endpoint) {
  const all = [...names.map(pathParameter), ...(takesKey(endpoint) ? [KEY] : [])];
  return all.length === 0 ? {} : { parameters: all };
}

function pathParameter(name: string) {
  const schema = { $ref: '#/components/schemas/Address' };
  return { name, in: 'path' as const, required: true, schema };
}
