/** Callers of a node's API, each on a connection of its own that stays open. */
import { Agent, request } from 'node:http';

export type Answer = { status: number; body: string };

/** One caller. `call` rejects when the connection breaks. */
export function createCaller(base: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    call: (method: string, path: string, body?: unknown): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const headers =
          text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
        const asked = request(`${base}/api/v1${path}`, { method, agent, headers }, (response) => {
          let read = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => {
            read += part;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: read }));
        });
        asked.on('error', reject);
        asked.end(text);
      }),
    close: () => agent.destroy(),
  };
}

export type Load = { rate: number; p50: number; p99: number; first: number; last: number };

/**
 * `total` calls by `callers` at a time. Rates per second, latencies in milliseconds; `first` and `last`
 * are the rates of the first and the last tenth. Throws when a call is not answered with 200.
 */
export async function load(
  base: string,
  path: string,
  body: unknown,
  { callers, total }: { callers: number; total: number },
): Promise<Load> {
  const ends: number[] = [];
  const latencies: number[] = [];
  let left = total;
  const begin = performance.now();
  async function work() {
    const caller = createCaller(base);
    while (left-- > 0) {
      const asked = performance.now();
      const { status, body: answer } = await caller.call('POST', path, body);
      if (status !== 200) throw new Error(`payment answered ${status}: ${answer}`);
      const now = performance.now();
      ends.push(now);
      latencies.push(now - asked);
    }
    caller.close();
  }
  await Promise.all(Array.from({ length: callers }, work));
  const end = performance.now();
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.floor(q * (latencies.length - 1))] ?? 0;
  const tenth = Math.floor(total / 10);
  const at = (index: number) => ends[index] ?? end;
  return {
    rate: (total * 1000) / (end - begin),
    p50: quantile(0.5),
    p99: quantile(0.99),
    first: (tenth * 1000) / (at(tenth - 1) - begin),
    last: (tenth * 1000) / (end - at(total - tenth)),
  };
}
