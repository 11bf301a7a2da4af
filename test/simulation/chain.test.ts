import { describe, expect, it } from 'vitest';
import type { Hash } from '../../src/basics/hex.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { callData } from '../../src/simulation/chain/contracts/abi.ts';
import { mint, SETTLE_TIMEOUT, type Simulated, START, send, startSimulated } from './simulated.ts';

const GWEI = 10n ** 9n;
const SECRET: Hash = `0x${'5e'.repeat(32)}`;

const blockOf = ({ chain }: Simulated, hash: Hash) => chain.mined(hash)?.block.number ?? null;
const heldBy = ({ chain, token, own }: Simulated) => chain.tokenBalance(token.address, own.address);

describe('the simulated pool', () => {
  it('mines what waits, the best paid first', async () => {
    const world = startSimulated();
    const cheap = await mint(world, world.own, 1n);
    const dear = await mint(world, world.partner, 2n, { maxPriorityFeePerGas: 3n * GWEI });
    const { receipts } = world.mine();
    expect(receipts.map(({ transaction }) => transaction.hash)).toEqual([dear, cheap]);
    expect(receipts.map(({ run }) => run.isSuccess)).toEqual([true, true]);
  });

  it('takes from the sender what the gas costs at the price of the block', async () => {
    const world = startSimulated({ baseFee: 8n * GWEI });
    await mint(world, world.own, 1n);
    const before = world.chain.wei(world.own.address);
    const { baseFee, receipts } = world.mine();
    const used = receipts[0]?.run.gasUsed ?? 0n;
    expect(before - world.chain.wei(world.own.address)).toBe(used * (baseFee + 2n * GWEI));
  });

  it('keeps the order of an account, and waits where a nonce is missing', async () => {
    const world = startSimulated();
    const second = await mint(world, world.own, 2n, { nonce: 1, maxPriorityFeePerGas: 9n * GWEI });
    world.mine();
    expect(blockOf(world, second)).toBeNull();
    const first = await mint(world, world.own, 1n, { nonce: 0 });
    const { number } = world.mine();
    expect([first, second].map((hash) => blockOf(world, hash))).toEqual([number, number]);
  });

  it('lets a transaction be replaced by one that pays a tenth more', async () => {
    const world = startSimulated();
    await mint(world, world.own, 1n, { nonce: 0 });
    const more = { nonce: 0, maxFeePerGas: 21n * GWEI, maxPriorityFeePerGas: 3n * GWEI };
    await expect(mint(world, world.own, 2n, more)).rejects.toThrow('underpriced');
    await mint(world, world.own, 3n, { ...more, maxFeePerGas: 22n * GWEI });
    world.mine();
    expect(heldBy(world)).toBe(3n);
  });

  it('refuses what no block could take', async () => {
    const world = startSimulated();
    const { own } = world;
    await expect(mint(world, own, 1n, { chainId: 1 })).rejects.toThrow('invalid chain id');
    await expect(mint(world, own, 1n, { gas: 21_000n })).rejects.toThrow('intrinsic gas too low');
    await expect(mint(world, own, 1n, { gas: 10n ** 9n })).rejects.toThrow('block gas limit');
    const poor = mint(world, own, 1n, { value: 10n ** 18n });
    await expect(poor).rejects.toThrow('insufficient funds');
    await mint(world, own, 1n);
    await expect(mint(world, own, 1n, { nonce: 0 })).rejects.toThrow('already known');
    world.mine();
    await expect(mint(world, own, 2n, { nonce: 0 })).rejects.toThrow('nonce too low');
  });

  it('leaves out those that pay less than strangers when blocks are full', async () => {
    const world = startSimulated();
    world.chain.setWeather({ others: { gas: 29_950_000n, tip: 2n * GWEI } });
    const hash = await mint(world, world.own, 1n);
    const { gasUsed } = world.mine();
    expect(blockOf(world, hash)).toBeNull();
    expect(gasUsed).toBe(29_950_000n);
    const better = { nonce: 0, maxPriorityFeePerGas: 3n * GWEI, maxFeePerGas: 22n * GWEI };
    const bumped = await mint(world, world.own, 1n, better);
    const { number, baseFee } = world.mine();
    expect(blockOf(world, bumped)).toBe(number);
    expect(baseFee).toBeGreaterThan(world.chain.block(number - 1n)?.baseFee ?? 0n);
  });

  it('holds back the transactions that it is told to hold back, and is late when it is told to be late', async () => {
    const world = startSimulated();
    const { own, partner, chain } = world;
    chain.setWeather({ isHeldBack: ({ from }) => from === own.address });
    const [held, other] = [await mint(world, own, 1n), await mint(world, partner, 1n)];
    const { number } = world.mine();
    expect([held, other].map((hash) => blockOf(world, hash))).toEqual([null, number]);
    chain.setWeather({ isHeldBack: () => false, lateBlocks: 3n });
    const late = await mint(world, partner, 1n);
    world.mine(4);
    expect([held, late].map((hash) => blockOf(world, hash))).toEqual([number + 3n, number + 4n]);
  });

  it('mines without effect what runs out of gas', async () => {
    const world = startSimulated();
    const hash = await mint(world, world.own, 1n, { gas: 40_000n });
    world.mine();
    expect(world.chain.mined(hash)?.receipt.run).toMatchObject({
      isSuccess: false,
      gasUsed: 40_000n,
    });
    expect(heldBy(world)).toBe(0n);
  });
});

describe('replaced blocks', () => {
  /** A secret registered and tokens made, in the two newest blocks. */
  async function withTwoBlocks() {
    const world = startSimulated();
    const { own, chain, token } = world;
    const registry = chain.contracts.secretRegistryAddress;
    const register = await send(world, own, registry, callData('registerSecret(bytes32)', SECRET));
    world.mine();
    const minted = await mint(world, own, 5n);
    world.mine();
    const [first, second] = [chain.block(2n), chain.block(3n)];
    return { ...world, token, register, minted, hashes: [first?.hash, second?.hash] };
  }
  const state = (world: Simulated) => ({
    held: heldBy(world),
    minted: world.chain.minted(world.token.address),
    registered: world.chain.secretBlock(secrethashOf(SECRET)),
    nonce: world.chain.machine.nonces.get(world.own.address),
  });

  it('may hold the same transactions again, under other hashes', async () => {
    const world = await withTwoBlocks();
    const before = state(world);
    const wei = world.chain.wei(world.own.address);
    world.chain.reorganise(2, { keep: 'again' });
    expect(state(world)).toEqual(before);
    expect(world.chain.wei(world.own.address)).toBe(wei);
    const [first, second] = [world.chain.block(2n), world.chain.block(3n)];
    expect(world.hashes).not.toContain(first?.hash);
    expect(second?.parentHash).toBe(first?.hash);
    expect(world.chain.blockOf(world.hashes[0] ?? SECRET)).toBeNull();
    expect(world.chain.mined(world.minted)?.block.hash).toBe(second?.hash);
  });

  it('may leave their transactions for later blocks', async () => {
    const world = await withTwoBlocks();
    world.chain.reorganise(2, { keep: 'later' });
    expect(state(world)).toEqual({ held: 0n, minted: 1n, registered: null, nonce: 0 });
    expect(world.chain.mined(world.register)).toBeNull();
    world.mine();
    expect(state(world)).toEqual({ held: 5n, minted: 6n, registered: 4n, nonce: 2 });
  });

  it('may lose their transactions for ever', async () => {
    const world = await withTwoBlocks();
    world.chain.reorganise(2, { keep: (hash) => (hash === world.register ? 'never' : 'again') });
    world.mine(3);
    expect(state(world)).toEqual({ held: 0n, minted: 1n, registered: null, nonce: 0 });
    // It waits for the nonce before it.
    expect(world.chain.pool.byHash(world.minted)).not.toBeNull();
  });

  it('take their logs with them when their transactions are lost', async () => {
    const world = await withTwoBlocks();
    const all = { from: 0n, to: 10n, addresses: null, topics: [] };
    const before = world.chain.logs(all);
    world.chain.reorganise(1, { keep: 'never' });
    expect(world.chain.logs(all)).toEqual(before.slice(0, -1));
  });
});

describe('what is set up without transactions', () => {
  it('leaves state and logs as transactions do', () => {
    const world = startSimulated();
    const { chain, token, own, partner, third } = world;
    const settleTimeout = SETTLE_TIMEOUT;
    const [one = 0n, two = 0n] = chain.openChannels(token.network, [
      { pair: [own.address, partner.address], depositA: 7n, depositB: 3n, settleTimeout },
      { pair: [own.address, third.address], depositA: 0n, depositB: 0n, settleTimeout },
    ]);
    chain.mine(START + 60);
    expect([one, two]).toEqual([1n, 2n]);
    expect(chain.channel(token.network, one)).toMatchObject({
      state: 'opened',
      settle: SETTLE_TIMEOUT,
      sides: [
        { address: own.address, deposit: 7n },
        { address: partner.address, deposit: 3n },
      ],
    });
    expect(chain.tokenBalance(token.address, token.network)).toBe(10n);
    const asked = { from: 2n, to: 2n, addresses: [token.network], topics: [] };
    expect(chain.logs(asked)).toHaveLength(4);
    expect(chain.head().gasUsed).toBe(0n);
  });

  it('opens thousands of channels in one block', () => {
    const world = startSimulated();
    const { chain, token } = world;
    const address = (n: number) => `0x${(2n ** 159n + BigInt(n)).toString(16)}` as const;
    const openings = Array.from({ length: 3_000 }, (_, n) => {
      const pair = [address(n), address(n + 1)] as const;
      return { pair, depositA: 10n, depositB: 10n, settleTimeout: SETTLE_TIMEOUT };
    });
    chain.openChannels(token.network, openings);
    const { receipts } = chain.mine(START + 60);
    // Two for each channel, and two for the tokens of all.
    expect(receipts).toHaveLength(6_002);
    expect(chain.channelCount(token.network)).toBe(3_000n);
    expect(chain.tokenBalance(token.address, token.network)).toBe(60_000n);
  });
});
