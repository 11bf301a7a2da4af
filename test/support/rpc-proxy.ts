import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type RpcCall = { method: string; params: readonly unknown[] };
type RpcAnswer =
  | { result: unknown }
  | { error: { code: number; message: string } }
  | 'cut the line';
/** Decides the answer to a call; `forward` asks the real endpoint. */
export type RpcRule = (call: RpcCall, forward: () => Promise<RpcAnswer>) => Promise<RpcAnswer>;
export type RpcProxy = {
  rpc: string;
  /** Every call in order of arrival. */
  calls: RpcCall[];
  /** Null: everything is passed on. */
  setRule(rule: RpcRule | null): void;
  stop(): Promise<void>;
};

/**
 * A JSON-RPC endpoint on loopback that passes calls on, or answers them as a test wants. `takesMany`: also
 * several calls in one request.
 */
export async function startRpcProxy(target: string, { takesMany = true } = {}): Promise<RpcProxy> {
  const calls: RpcCall[] = [];
  let rule: RpcRule | null = null;
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await bodyOf(request));
    if (Array.isArray(body) && !takesMany) return response.writeHead(400).end('one call, please');
    const answers = await Promise.all((Array.isArray(body) ? body : [body]).map(answerOf));
    if (answers.includes('cut the line')) return response.destroy();
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });

  async function answerOf(asked: { id: unknown; method: string; params?: readonly unknown[] }) {
    const { id, method, params = [] } = asked;
    const call = { method, params };
    calls.push(call);
    const forward = () => ask(target, call);
    const given = rule?.(call, forward) ?? forward();
    // A test that is over ends its own connections, and nobody waits for this answer any more.
    const answer = await given.catch(() => 'cut the line' as const);
    return answer === 'cut the line' ? answer : { jsonrpc: '2.0', id, ...answer };
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    rpc: `http://127.0.0.1:${portOf(server)}`,
    calls,
    setRule(next) {
      rule = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function ask(target: string, { method, params }: RpcCall): Promise<RpcAnswer> {
  try {
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = Object(await answer.json());
    return error === undefined ? { result } : { error };
  } catch {
    return 'cut the line';
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return address.port;
}
