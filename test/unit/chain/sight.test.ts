import { createPublicClient, custom, defineChain } from 'viem';
import { describe, expect, it } from 'vitest';
import type { ChainClient } from '../../../src/chain/client.ts';
import { createChainSight } from '../../../src/chain/watch/sight.ts';

const S = 1000;
const START = 1_700_000_000;

/** A chain of blocks of twelve seconds; `id` says whether it is one of development. */
function chainOf(id: number) {
  const state = { head: 200, skew: 0, told: null as number | null, now: START * S, elapsed: 0 };
  const block = (number: number) => ({
    number: `0x${number.toString(16)}`,
    hash: `0x${number.toString(16).padStart(64, '0')}`,
    parentHash: `0x${(number - 1).toString(16).padStart(64, '0')}`,
    logsBloom: `0x${'00'.repeat(256)}`,
    timestamp: `0x${(START + 12 * (number - 200) + state.skew).toString(16)}`,
    transactions: [],
  });
  const calls: string[] = [];
  const request = async ({ method, params }: { method: string; params?: unknown[] }) => {
    calls.push(method);
    if (method === 'hardhat_metadata' && state.told !== null)
      return { latestBlockNumber: state.told };
    if (method !== 'eth_getBlockByNumber') throw new Error(`there is no ${method}`);
    const asked = String(params?.[0]);
    return block(asked === 'latest' ? state.head : Number(asked));
  };
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
  const chain = defineChain({
    id,
    name: 'test',
    nativeCurrency,
    rpcUrls: { default: { http: [] } },
  });
  const client: unknown = createPublicClient({
    chain,
    cacheTime: 0,
    transport: custom({ request }),
  });
  const clocks = { now: () => state.now, elapsed: () => state.elapsed };
  const sight = createChainSight({ client: clientIn(client), clocks, pollIntervalMs: S });
  /** Both clocks, unless the monotonic one stands still, as while a laptop is closed. */
  const pass = (seconds: number, isAwake = true) => {
    state.now += seconds * S;
    if (isAwake) state.elapsed += seconds * S;
  };
  return { state, sight, calls, pass };
}

function clientIn(value: unknown): ChainClient {
  if (!isClient(value)) throw new Error('this is no client');
  return value;
}
const isClient = (value: unknown): value is ChainClient => Object(value).getBlock !== undefined;

describe('what is seen of the chain', () => {
  it('is nothing before the first look', () => {
    expect(chainOf(1).sight.trouble()).toContain('has not told');
  });

  it('can be relied on from a look at a new block until that is too old', async () => {
    const { sight, pass, state } = chainOf(1);
    expect(await sight.look()).toMatchObject({ number: 200n, trouble: null });
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      pass(12);
      expect(await sight.look()).toMatchObject({ number: 200n, trouble: null });
    }
    pass(1);
    expect(sight.trouble()).toContain('73 seconds old');
    expect(await sight.look()).toMatchObject({ trouble: sight.trouble() });
    state.head += 6;
    expect(await sight.look()).toMatchObject({ number: 206n, trouble: null });
    expect(sight.trouble()).toBeNull();
  });

  it('stays what it was while one machine of the endpoint answers that is behind', async () => {
    const { sight, pass, state } = chainOf(1);
    await sight.look();
    for (const head of [192, 198, 192]) {
      pass(1);
      state.head = head;
      expect(await sight.look()).toMatchObject({ number: 200n, trouble: null });
      expect(sight.trouble()).toBeNull();
    }
    state.head = 201;
    expect(await sight.look()).toMatchObject({ number: 201n, trouble: null });
  });

  it('goes back when nothing newer is heard of for as long as an endpoint may be silent', async () => {
    const { sight, pass, state } = chainOf(1);
    await sight.look();
    state.head = 192;
    pass(15);
    expect(await sight.look()).toMatchObject({ number: 200n });
    pass(1);
    expect(sight.trouble()).toContain('16 seconds');
    const { trouble } = await sight.look();
    expect(trouble).toContain('(192) is 112 seconds old');
  });

  it('says of a chain that makes blocks on demand what is wrong', async () => {
    const { sight, pass } = chainOf(1337);
    await sight.look();
    pass(73);
    const { trouble } = await sight.look();
    expect(trouble).toContain('73 seconds old');
    expect(trouble).toContain('--dev.period 1');
    const other = chainOf(1);
    await other.sight.look();
    other.pass(73);
    expect((await other.sight.look()).trouble).not.toContain('--dev.period');
  });

  it.each([
    ['was stopped', true],
    ['was on a machine that slept', false],
  ])('is out of date at once when the process %s, until the next look', async (_, isAwake) => {
    const { sight, pass, state } = chainOf(1);
    await sight.look();
    pass(600, isAwake);
    expect(sight.trouble()).toContain('has not told its newest block for 10 minutes');
    state.head += 50;
    await sight.look();
    expect(sight.trouble()).toBeNull();
  });

  it('is out of date after a stop during which the clock was set back', async () => {
    const { sight, pass, state } = chainOf(1);
    await sight.look();
    pass(600);
    state.now -= 600 * S;
    expect(sight.trouble()).toContain('for 10 minutes');
  });

  it('cannot be relied on by a clock that is ten minutes wrong', async () => {
    for (const minutes of [10, -10]) {
      const { sight, pass } = chainOf(1);
      pass(60 * minutes);
      expect((await sight.look()).trouble).toContain('10 minutes');
    }
  });
});

describe('what is seen of a chain of development', () => {
  it('can be of any age when whoever makes the blocks says that it is the newest', async () => {
    const { sight, pass, state } = chainOf(31_337);
    state.told = 200;
    pass(86_400);
    expect(await sight.look()).toMatchObject({ trouble: null });
    expect(sight.trouble()).toBeNull();
    state.skew = 1_000_000;
    expect(await sight.look()).toMatchObject({ trouble: null });
  });

  it('is out of date at once when there are newer blocks, however young it is', async () => {
    const { sight, state, pass } = chainOf(31_337);
    state.told = 260;
    expect((await sight.look()).trouble).toContain('is at block 260');
    expect(sight.trouble()).toContain('is at block 260');
    state.head = 260;
    pass(1);
    expect(await sight.look()).toMatchObject({ number: 260n, trouble: null });
  });

  it('is compared with the newest block that is told now, not with the one that was told before', async () => {
    const { sight, state } = chainOf(31_337);
    state.told = 200;
    await sight.look();
    Object.assign(state, { head: 201, told: 221 });
    expect((await sight.look()).trouble).toContain('is at block 221');
  });

  it('goes by the clock when nobody says which block is the newest', async () => {
    const { sight, pass } = chainOf(1_337);
    expect(await sight.look()).toMatchObject({ trouble: null });
    pass(100);
    expect((await sight.look()).trouble).toContain('100 seconds old');
  });

  it('is asked for by a call that no other chain gets', async () => {
    const { sight, calls, state } = chainOf(1);
    state.told = 200;
    await sight.look();
    expect(calls).not.toContain('hardhat_metadata');
  });
});
