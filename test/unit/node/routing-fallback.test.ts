import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import { createRoutingFallback } from '../../../src/node/routing/routing-fallback.ts';
import type {
  FoundRoute,
  RouteFinder,
  RouteRequest,
} from '../../../src/node/runtime/knowledge/route-finder.ts';
import type { Result } from '../../../src/protocol/codes.ts';

const address = (digit: number): Address => `0x${String(digit).repeat(40)}`;
const PAUSE_MS = 30_000;
const REQUEST: RouteRequest = {
  token: address(1),
  tokenNetwork: address(2),
  target: address(3),
  amount: 5n,
  maxRoutes: 3,
};
const routes = (fee: bigint): Result<FoundRoute[]> => ({
  ok: true,
  value: [{ route: [address(4), address(3)], estimatedFee: fee }],
});
const NONE: Result<FoundRoute[]> = { ok: true, value: [] };
const SILENT = { ok: false, code: 'no_route', detail: 'It does not answer.' } as const;

/** The service finds ways of the fee 1, the own copy of the fee 2, unless they are told otherwise. */
function start() {
  const world = { now: 0, asked: 0, service: routes(1n), local: routes(2n), isAlive: true };
  const said = () => {
    world.asked += 1;
    return world.isAlive ? world.service : SILENT;
  };
  let trouble: string | null = null;
  const note = (found: Result<unknown>) => {
    trouble = world.isAlive ? null : 'It does not answer.';
    return found;
  };
  const service = {
    find: async () => {
      const found = said();
      note(found);
      return found;
    },
    report() {},
    asked: { trouble: () => trouble, look: async () => void note(said()) },
  } satisfies RouteFinder;
  const follows = { begin() {}, confirmed() {}, changed() {}, speaking() {}, end() {} };
  const local = { find: async () => world.local, report() {}, follows };
  return { world, finder: createRoutingFallback({ service, local, elapsed: () => world.now }) };
}

describe('routes from a service, and from an own copy of the network', () => {
  it('are those of the service while it answers, also when there are none', async () => {
    const { world, finder } = start();
    expect(await finder.find(REQUEST)).toEqual(routes(1n));
    world.service = NONE;
    expect(await finder.find(REQUEST)).toEqual(NONE);
  });

  it('are those of the own copy when the service is silent, which is not asked again for a while', async () => {
    const { world, finder } = start();
    world.isAlive = false;
    expect(await finder.find(REQUEST)).toEqual(routes(2n));
    expect(await finder.find(REQUEST)).toEqual(routes(2n));
    expect(world.asked).toBe(1);
    world.now += PAUSE_MS;
    world.isAlive = true;
    expect(await finder.find(REQUEST)).toEqual(routes(1n));
    expect(await finder.find(REQUEST)).toEqual(routes(1n));
  });

  it('are asked of the service in any case where the own copy knows none', async () => {
    const { world, finder } = start();
    world.isAlive = false;
    world.local = NONE;
    expect(await finder.find(REQUEST)).toEqual(SILENT);
    world.isAlive = true;
    expect(await finder.find(REQUEST)).toEqual(routes(1n));
  });

  it('are those of the service again as soon as a look finds it well', async () => {
    const { world, finder } = start();
    world.isAlive = false;
    await finder.find(REQUEST);
    world.isAlive = true;
    await finder.asked?.look();
    expect(finder.asked?.trouble()).toBeNull();
    expect(await finder.find(REQUEST)).toEqual(routes(1n));
  });
});
