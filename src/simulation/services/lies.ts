/** Path-finding services that answer wrongly, too much, or too late. */
import { parse, stringify } from 'lossless-json';
import type { Address } from '../../basics/hex.ts';
import type { Lie } from '../scenario/schema/schema.ts';
import type { Draw } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Server } from './gateway.ts';

type Facts = { scheduler: Scheduler; draw: Draw; everybody: readonly Address[] };
/** What a service answers about routes, and about itself. */
type Said = { result?: readonly Route[]; network_info?: Record<string, unknown> };
type Route = { path: readonly string[] };

/** Longer than any node waits. */
const SLOW_MS = 120_000;
/** A price above all tokens that exist, in the smallest unit. */
const DEAR = 10n ** 40n;
const CHUNK_BYTES = 16_384;

/** The service, lying in this way. */
export function lying(lie: Lie, server: Server, facts: Facts): Server {
  return async (request) => {
    const answer = await server(request);
    const isAboutRoutes = request.url.endsWith('/paths');
    if (answer.status !== 200) return answer;
    if (lie === 'other_chain' ? isAboutRoutes : !isAboutRoutes) return answer;
    if (lie === 'endless') return new Response(endless(), { headers: answer.headers });
    if (lie === 'slow') {
      await new Promise<void>((resolve) => void facts.scheduler.after(SLOW_MS, resolve));
      return answer;
    }
    const said = bent(lie, saidIn(await answer.text()), facts);
    return new Response(stringify(said), { headers: answer.headers });
  };
}

function saidIn(text: string): Said {
  return Object(parse(text));
}

function bent(lie: Exclude<Lie, 'endless' | 'slow'>, said: Said, { draw, everybody }: Facts): Said {
  const routes = said.result ?? [];
  switch (lie) {
    case 'loops':
      return { ...said, result: routes.map((route) => ({ ...route, path: withLoop(route.path) })) };
    case 'foreign_channels':
      return {
        ...said,
        result: routes.map((route) => {
          const strangers = [draw.pick(everybody), draw.pick(everybody)];
          return {
            ...route,
            path: [...route.path.slice(0, 1), ...strangers, ...route.path.slice(-1)],
          };
        }),
      };
    case 'dear':
      return { ...said, result: routes.map((route) => ({ ...route, estimated_fee: DEAR })) };
    case 'other_chain':
      return { ...said, network_info: { ...said.network_info, chain_id: 1n } };
  }
}

/** The path with its first channel back and forth an extra time. */
function withLoop(path: readonly string[]): readonly string[] {
  return [...path.slice(0, 2), ...path.slice(0, 2), ...path.slice(2)];
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(stream) {
      stream.enqueue(Buffer.alloc(CHUNK_BYTES, ' '));
    },
  });
}
