/**
 * The HTTP of a simulated world: services under host names, and the processes that call them. A request reaches a
 * service after a short latency, and the answer reaches the process as long as the process lives.
 */
import type { Draw } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';

export type Server = (request: Request) => Promise<Response>;
/** A process that makes requests. */
export type Asker = {
  id: string;
  /** Runs `work` when the process is not paused; never when it is dead. */
  hear(work: () => void): void;
};
export type Gateway = ReturnType<typeof createGateway>;

const LATENCY_MS = { least: 10, most: 60 };

export function createGateway({ scheduler, draw }: { scheduler: Scheduler; draw: Draw }) {
  const servers = new Map<string, Server>();
  const askers = new Map<string, Asker>();
  /**
   * What is not answered yet. A request that nobody holds may be collected, and then never hears that its caller gives up:
   * whether it does would depend on when the memory is tidied.
   */
  const pending = new Set<Request>();
  const faults = { isDown: false };
  const latency = () => draw.integer(LATENCY_MS.least, LATENCY_MS.most);
  const later = (ms: number) => new Promise<void>((resolve) => void scheduler.after(ms, resolve));

  async function answerTo(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const [, , ...rest] = url.pathname.split('/');
    const server = servers.get(url.host);
    const { method, headers } = request;
    const body = method === 'POST' ? await request.text() : null;
    await later(latency());
    if (server === undefined || faults.isDown) throw new TypeError('fetch failed');
    const answer = await server(
      new Request(`http://${url.host}/${rest.join('/')}${url.search}`, { method, headers, body }),
    );
    await later(latency());
    return answer;
  }

  return {
    faults,
    serve: (host: string, server: Server) => void servers.set(host, server),
    /** The URL of a service for this process, as its operator configures it. */
    urlFor(host: string, asker: Asker): string {
      askers.set(asker.id, asker);
      return `http://${host}/${asker.id}`;
    },
    /** Replaces the global `fetch`. */
    fetch(request: Request): Promise<Response> {
      const asker = askers.get(new URL(request.url).pathname.split('/')[1] ?? '');
      if (asker === undefined) return Promise.reject(new TypeError('there is no such server'));
      return new Promise((resolve, reject) => {
        const { signal } = request;
        const giveUp = () => end(() => reject(signal.reason));
        /** Lets the caller hear how it ended, once. */
        const end = (work: () => void) => {
          if (!pending.delete(request)) return;
          signal.removeEventListener('abort', giveUp);
          asker.hear(work);
        };
        pending.add(request);
        signal.addEventListener('abort', giveUp);
        answerTo(request).then(
          (answer) => end(() => resolve(answer)),
          (error) => end(() => reject(error)),
        );
      });
    },
  };
}
