import { createServer, type Server } from 'node:http';
import { createPublicClient, http } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type NodeServer, serveNode } from '../../src/host/node-api.ts';
import { parseMethods, READ_ONLY_METHODS } from '../../src/http/rpc-methods.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { fakeNode } from '../unit/http/fake-node.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const running: NodeServer[] = [];
const endpoints: Server[] = [];
let anvil: Anvil;

beforeAll(async () => {
  anvil = await startAnvil();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.end()));
  for (const endpoint of endpoints.splice(0)) endpoint.close();
});
afterAll(() => anvil.stop());

type Start = { url?: string; methods?: readonly string[]; tokens?: boolean };

/** The URL of `/rpc` of a node that passes calls on. */
async function start({ url = anvil.rpc, methods = READ_ONLY_METHODS, tokens = false }: Start = {}) {
  const pair = [
    { token: 'reader-0123456789', scope: 'read', cap: null, budget: null } as const,
    { token: 'admin-0123456789', scope: 'admin', cap: null, budget: null } as const,
  ];
  const served = await serveNode({
    node: fakeNode(),
    config: {
      host: '127.0.0.1',
      port: 0,
      concurrency: 1,
      rpc: { url, methods },
      tokens: tokens ? pair : [],
    },
    onInternalError: (error) => expect(error).toBeUndefined(),
  });
  if (!served.ok) throw new Error(served.message);
  running.push(served.value);
  return `${served.value.url}/rpc`;
}

/** An endpoint that answers as it is told; `asked` has the bodies and headers that reached it. */
async function startEndpoint(answer: (body: string) => string, status = 200) {
  const asked: { body: string; authorization: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ body, authorization: request.headers.authorization });
    response.writeHead(status, JSON_TYPE).end(answer(body));
  });
  endpoints.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { asked, host: `127.0.0.1:${port}` };
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: text,
  });
  const answer = await response.text();
  return { status: response.status, text: answer, body: answer === '' ? null : JSON.parse(answer) };
}

const call = (id: unknown, method: string, params: unknown = []) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

const DEEP = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
const DEEP_CALL = `{"id":1,"method":"eth_call","params":${DEEP}}`;

describe('POST /rpc', () => {
  it('serves a chain library as the endpoint itself does', async () => {
    const client = createPublicClient({ transport: http(await start(), { batch: true }) });
    const [chain, block, balance] = await Promise.all([
      client.getChainId(),
      client.getBlock(),
      client.getBalance({ address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }),
    ]);
    expect([chain, block.number, balance]).toEqual([31_337, 0n, 10_000n * 10n ** 18n]);
  });

  it('answers each call of a batch in its place, refused ones too', async () => {
    const { status, body } = await post(await start(), [
      call('a', 'eth_chainId'),
      call(7, 'eth_sendTransaction', [{}]),
      { nonsense: true },
      call('a', 'eth_blockNumber'),
      call(null, 'eth_getBalance', ['not an address']),
    ]);
    expect(status).toBe(200);
    expect(body).toEqual([
      { jsonrpc: '2.0', id: 'a', result: '0x7a69' },
      { jsonrpc: '2.0', id: 7, error: { code: -32601, message: expect.any(String) } },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: '2.0', id: 'a', result: '0x0' },
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: expect.any(Number), message: expect.any(String) },
      },
    ]);
  });

  it.each([
    'eth_sendRawTransaction',
    'eth_sendTransaction',
    'eth_accounts',
    'eth_sign',
    'personal_unlockAccount',
    'debug_traceTransaction',
    'anvil_setBalance',
    'evm_mine',
    'toString',
    '__proto__',
  ])('does not pass on %s', async (method) => {
    const { asked, host } = await startEndpoint(() => '{}');
    const { body } = await post(await start({ url: `http://${host}` }), call(1, method));
    expect(body).toMatchObject({ id: 1, error: { code: -32601 } });
    expect(asked).toEqual([]);
  });

  it('passes a method on that was named', async () => {
    const { methods } = parseMethods('eth_sendRawTransaction') ?? {};
    const url = await start({ methods: [...READ_ONLY_METHODS, ...(methods ?? [])] });
    const { body } = await post(url, call(1, 'eth_sendRawTransaction', ['0x00']));
    expect(body).toMatchObject({ id: 1, error: { code: expect.any(Number) } });
    expect(body.error.code).not.toBe(-32601);
  });

  it('passes a named method on for the scope admin only, alone and in a batch', async () => {
    const methods = [...READ_ONLY_METHODS, 'evm_mine'];
    const url = await start({ methods, tokens: true });
    const as = (name: string) => ({ authorization: `Bearer ${name}-0123456789` });
    const mine = call(1, 'evm_mine');
    const refused = { id: 1, error: { code: -32601, message: expect.stringContaining('admin') } };
    expect((await post(url, mine, as('reader'))).body).toMatchObject(refused);
    const both = [mine, call(2, 'eth_chainId')];
    expect((await post(url, both, as('reader'))).body).toMatchObject([
      refused,
      { id: 2, result: '0x7a69' },
    ]);
    expect((await post(url, mine, as('admin'))).body).toHaveProperty('result');
  });

  it.each(['9007199254740993', '-36893488147419103233', '1e400', '"9007199254740993"', 'null'])(
    'gives back the id %s as it was written',
    async (id) => {
      const url = await start();
      for (const method of ['eth_chainId', 'evm_mine']) {
        const { text } = await post(url, `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`);
        expect(text).toContain(`"id":${id},`);
      }
    },
  );

  it('keeps the digits of large numbers among the params', async () => {
    const { asked, host } = await startEndpoint(() => '{"jsonrpc":"2.0","id":0,"result":null}');
    const url = await start({ url: `http://${host}` });
    const params = '[{"value":9007199254740993}]';
    await post(url, `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${params}}`);
    expect(asked[0]?.body).toContain(params);
  });

  it('passes on only the method that it has checked when a call names two', async () => {
    const { asked, host } = await startEndpoint(() => '{"jsonrpc":"2.0","id":0,"result":"0x1"}');
    const url = await start({ url: `http://${host}` });
    await post(
      url,
      '{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","method":"eth_chainId"}',
    );
    expect(asked.map(({ body }) => JSON.parse(body).method)).toEqual(['eth_chainId']);
    expect(asked[0]?.body).not.toContain('eth_sendTransaction');
  });

  it.each<[string, unknown, number]>([
    ['text that is not JSON', '{"id":', -32700],
    ['an empty batch', [], -32600],
    ['a batch of 101', Array.from({ length: 101 }, (_, id) => call(id, 'eth_chainId')), -32600],
    ['a call without id', { jsonrpc: '2.0', method: 'eth_chainId' }, -32600],
    ['a call with params that are no list', call(1, 'eth_chainId', 'x'), -32600],
    ['a number', 5, -32600],
    ['lists in lists', DEEP_CALL, -32700],
  ])('answers %s with an error of JSON-RPC', async (_, body, code) => {
    expect((await post(await start(), body)).body).toMatchObject({ error: { code } });
  });

  it('refuses what is too large, or not sent as JSON', async () => {
    const url = await start();
    expect((await post(url, `"${'x'.repeat(262_144)}"`)).status).toBe(413);
    expect((await post(url, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await fetch(url)).status).toBe(405);
  });

  it('is not there unless the operator turned it on', async () => {
    const config = { host: '127.0.0.1', port: 0, concurrency: 1 };
    const served = await serveNode({ node: fakeNode(), config, onInternalError: () => {} });
    if (!served.ok) throw new Error(served.message);
    running.push(served.value);
    expect((await post(`${served.value.url}/rpc`, call(1, 'eth_chainId'))).status).toBe(404);
  });

  it('needs the scope read, and no more', async () => {
    const url = await start({ tokens: true });
    expect((await post(url, call(1, 'eth_chainId'))).status).toBe(401);
    const headers = { authorization: 'Bearer reader-0123456789' };
    expect((await post(url, call(1, 'eth_chainId'), headers)).body.result).toBe('0x7a69');
  });

  it('refuses foreign pages', async () => {
    const headers = { origin: 'https://evil.com' };
    expect((await post(await start(), call(1, 'eth_chainId'), headers)).status).toBe(403);
  });
});

describe("the endpoint's URL", () => {
  const KEY = 'a1b2c3d4e5f6a7b8';

  it('is used with its user and password, which no caller learns', async () => {
    const { asked, host } = await startEndpoint(() => {
      const message = `project ${KEY} of http://user:hunter22@${host}/v3/${KEY} has no credit`;
      return JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code: -32000, message, data: KEY } });
    });
    const url = await start({ url: `http://user:hunter22@${host}/v3/${KEY}` });
    const { text, body } = await post(url, call(1, 'eth_chainId'));
    expect(asked[0]?.authorization).toBe(
      `Basic ${Buffer.from('user:hunter22').toString('base64')}`,
    );
    expect(body.error).toMatchObject({
      code: -32000,
      message: expect.stringContaining('no credit'),
    });
    for (const secret of [KEY, 'hunter22', host]) expect(text).not.toContain(secret);
  });

  it.each<[string, string, number]>([
    ['no JSON', `<html>${KEY}</html>`, 502],
    ['nothing', '', 200],
    ['another call', '{"jsonrpc":"2.0","id":99,"result":"0x1"}', 200],
    ['lists in lists', `{"id":0,"result":${DEEP}}`, 200],
  ])('is not shown to the caller when the endpoint answers %s', async (_, answer, status) => {
    const { host } = await startEndpoint(() => answer, status);
    const { text, body } = await post(
      await start({ url: `http://${host}/${KEY}` }),
      call(1, 'eth_chainId'),
    );
    expect(body).toMatchObject({ error: { code: -32603 } });
    for (const secret of [KEY, host]) expect(text).not.toContain(secret);
  });

  it('is not shown to the caller when nothing answers there', async () => {
    const { text, body } = await post(
      await start({ url: `http://127.0.0.1:9/${KEY}` }),
      call(1, 'eth_chainId'),
    );
    expect(body).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(text).not.toContain(KEY);
  });
});

describe('the list of methods', () => {
  it.each<[string, ReturnType<typeof parseMethods>]>([
    ['true', { methods: [] }],
    ['false', { methods: null }],
    ['eth_sendRawTransaction', { methods: ['eth_sendRawTransaction'] }],
    [
      'eth_sendRawTransaction, eth_accounts',
      { methods: ['eth_sendRawTransaction', 'eth_accounts'] },
    ],
    ['', null],
    ['sendRawTransaction', null],
    ['eth_call,', null],
    ['eth_*', null],
  ])('%j', (text, parsed) => {
    expect(parseMethods(text)).toEqual(parsed);
  });
});
