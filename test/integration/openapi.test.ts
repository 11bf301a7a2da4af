/** Thousands of requests out of the served document, to a node of real parts over real HTTP. */
import { Agent, request as send } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { deployToken, mintTokens } from '../../src/contracts/tokens.ts';
import { createApp } from '../../src/http/app.ts';
import { type ApiServer, serve } from '../../src/http/server.ts';
import { createGenerator, type Generated } from '../support/generated-requests.ts';
import { createChecker } from '../support/json-schema.ts';
import { good, type Network, startNetwork, type TestNode, TOKENS } from '../support/network.ts';
import { type Document, type Operation, readDocument } from '../support/openapi.ts';
import { until } from '../support/until.ts';

/** More of them: SLUICE_REQUESTS=20000. */
const REQUESTS = Number(process.env['SLUICE_REQUESTS'] ?? 5_000);
const SEED = 20_261_120;
const AT_ONCE = 16;

type Answer = { status: number; allow: string | null; media: string; text: string };

let net: Network;
let alice: TestNode;
let server: ApiServer;
let document: Document;
const failures: unknown[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  net = await startNetwork();
  alice = await net.start('alice');
  const bob = await net.start('bob');
  await net.start('carol');
  await net.fund('alice', 800n * TOKENS);
  await mintTokens(net.clients, net.contracts.serviceTokenAddress, alice.ownAddress, 800n * TOKENS);
  await net.whileMining(until(() => alice.tokens().length === 1, 'the token is known'));
  const channel = { token: net.token, partner: bob.ownAddress, totalDeposit: 50n * TOKENS };
  const timeouts = { settleTimeout: null, revealTimeout: null };
  good(await net.whileMining(alice.openChannel({ ...channel, ...timeouts })));
  const options = { onInternalError: (error: unknown) => failures.push(error) };
  server = await serve({ app: createApp({ node: alice, options }), port: 0 });
  document = readDocument(await (await fetch(`${server.url}/api/v1/openapi.json`)).text());
});
afterAll(async () => {
  agent.destroy();
  await server?.close();
  await net?.stop();
});

/** Sends exactly the path and the headers that it is told. */
function ask({ method, path, headers, body }: Generated): Promise<Answer> {
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const options = { port: server.port, agent, method, path, headers: { ...headers, ...length } };
    const sent = send({ host: '127.0.0.1', ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { allow = null, 'content-type': media = '' } = response.headers;
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, allow, media, text });
      });
    });
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

/** What is wrong with the answer by the document, or null. */
function createJudge({ operations, schemas }: Document) {
  const check = createChecker(schemas);
  const errors = schemas['Errors'] ?? false;

  function isOfShape(request: Generated): boolean {
    const { body, headers } = request;
    const schema = operationOf(request)?.body ?? null;
    if (schema === null) return true;
    if (body === null || !headers['content-type']?.startsWith('application/json')) return false;
    try {
      return check(schema, JSON.parse(body)) === null;
    } catch {
      return false;
    }
  }

  function problemOfRefusal({ path }: Operation, { status, allow, text }: Answer): string | null {
    const methods = operations.filter((known) => known.path === path).map(({ method }) => method);
    const names = methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
    if (status === 405 && allow !== names.join(', ')) return `allows ${allow}, not ${names}`;
    if (![403, 404, 405].includes(status)) return 'a method that is not there is taken';
    return check(errors, JSON.parse(text));
  }

  /** Whether an answer that is no success says what may still happen, if the call could have changed something. */
  function problemOfOutcome({ method }: Generated, { status, text }: Answer): string | null {
    if (status < 300 || method === 'HEAD') return null;
    const isTold = 'outcome' in Object(JSON.parse(text));
    return isTold === (method !== 'GET') ? null : 'it says too much or too little of its outcome';
  }

  function problemOf(request: Generated, answer: Answer): string | null {
    const operation = operationOf(request);
    if (request.method === 'HEAD') return answer.text === '' ? null : 'a HEAD has a body';
    if (operation === undefined) return problemOfRefusal(request.operation, answer);
    const listed = operation.answers.get(answer.status);
    if (listed === undefined || answer.status === 500) return 'the status is not listed';
    const isJson = listed.media === 'application/json';
    if (!answer.media.startsWith(listed.media)) return `the body is ${answer.media}`;
    if (answer.status < 300 && !isOfShape(request)) return 'a wrong shape is accepted';
    return check(listed.schema, isJson ? JSON.parse(answer.text) : answer.text);
  }

  return { isOfShape, problemOf, problemOfOutcome };
}

/** How many requests may reach the chain, by operation: each takes as long as a block or more. */
const CHAIN_LIMITS: Record<string, number> = {
  registerToken: 15,
  mint: 15,
  openChannel: 30,
  changeChannel: 60,
  pay: 60,
  changeUserDeposit: 30,
  joinNetwork: 20,
  leaveNetwork: 3,
};

/** As the generator gives them, but not more than CHAIN_LIMITS of those that may reach the chain. */
async function generate(isGood: (request: Generated) => boolean): Promise<Generated[]> {
  const deploy = (symbol: string) => deployToken(net.clients, { name: symbol, symbol });
  const tokens = [await deploy('TTB'), await deploy('TTC')];
  const partners = [net.addressOf('bob'), net.addressOf('carol')];
  // Not asked: the shutdown, because the node must live on; the document, which is known; a stream, which never
  // ends.
  const operations = document.operations.filter(
    ({ path }) => !/\/(shutdown|openapi\.json|stream)$/.test(path),
  );
  const generator = createGenerator(
    { ...document, operations },
    {
      token: [net.token, net.token, net.token, ...tokens],
      partner: [...partners, ...partners, alice.ownAddress],
      others: [ZERO_ADDRESS, net.tokenNetwork, alice.ownAddress],
    },
  );
  const left = new Map(Object.entries(CHAIN_LIMITS));
  function isAllowed(request: Generated): boolean {
    const operation = operationOf(request);
    const allowed = left.get(operation?.id ?? '');
    if (operation === undefined || allowed === undefined || !isGood(request)) return true;
    left.set(operation.id, allowed - 1);
    return allowed > 0;
  }
  const all = fc.sample(generator, { numRuns: REQUESTS * 1.4, seed: SEED });
  const requests = all.filter(isAllowed).slice(0, REQUESTS);
  // Payments go first: one of the others closes the channel that they need.
  const place = ({ operation: { id } }: Generated) => (id === 'pay' ? 0 : 1);
  return requests.toSorted((one, other) => place(one) - place(other));
}

/** The operation that the request really asks for: the method may be another one than its own. */
function operationOf({ operation: { path }, method }: Generated): Operation | undefined {
  const name = method === 'HEAD' ? 'GET' : method;
  return document.operations.find((known) => known.path === path && known.method === name);
}

it('answers every generated request as its document says', { timeout: 400_000 }, async () => {
  const judge = createJudge(document);
  const requests = await generate(judge.isOfShape);
  expect(requests).toHaveLength(REQUESTS);
  const seen = new Map<string, Set<number>>();
  const problems: unknown[] = [];
  const waiting = requests.values();

  async function drive(): Promise<void> {
    for (const request of waiting) {
      const answer = await ask(request);
      const { id } = request.operation;
      seen.set(id, (seen.get(id) ?? new Set()).add(answer.status));
      const problem = judge.problemOf(request, answer) ?? judge.problemOfOutcome(request, answer);
      if (problem === null) continue;
      problems.push({ problem, ...request, operation: id, answer });
      if (problems.length > 5) return;
    }
  }
  await net.whileMining(Promise.all(Array.from({ length: AT_ONCE }, drive)));

  expect(problems).toEqual([]);
  expect(failures).toEqual([]);
  expect(alice.failures).toEqual([]);
  expect(seen.size).toBe(document.operations.length - 3);
  const statuses = new Set([...seen.values()].flatMap((all) => [...all]));
  expect([...statuses].sort()).toEqual([200, 201, 400, 402, 403, 404, 405, 409, 413, 415, 422]);
  const isGood = (status: number) => status < 300;
  expect([...seen].filter(([, all]) => ![...all].some(isGood)).map(([id]) => id)).toEqual([]);
});
