/**
 * Promises at two prices, in blocks that are full, half full or empty, with tips of any size, restarts and reorganisations, and an
 * operator that spends all that is free. None is lost for which blocks asked no more than its own money pays.
 */
import { expect, it } from 'vitest';
import { anvilCall, memoryStorage } from '../support/chain.ts';
import { startVirtualNetwork } from '../support/network.ts';
import { beginQueue, registration } from '../support/promises.ts';

/** By the gas that is set aside for a registration, and how much dearer than when it was promised gas may get. */
const [ASIDE, MOST] = [3n * 60_000n, 2.5];
const TIPS = [10n ** 7n, 10n ** 7n, 10n ** 9n, 500n * 10n ** 9n];
const BLOCKS = 100;
/** In virtual milliseconds: long enough for the queue to send what it wants to. */
const BETWEEN_BLOCKS = 150;

type One = {
  key: string;
  number: number;
  isCheap: boolean;
  mayShare: boolean;
  due: bigint;
  deadline: bigint;
};

it.each([9072, 9106, ...Array.from({ length: 8 }, (_, n) => 17 + n)])(
  'no promise that can pay is lost, by the seed %i',
  async (seed) => {
    const drawn = chances(seed);
    const network = startVirtualNetwork({});
    const { simulated } = network;
    const head = () => simulated.head();
    const owner = network.signerOf('bob').address;
    const setBalance = (wei: bigint) =>
      anvilCall(network.chain, 'anvil_setBalance', owner, `0x${wei.toString(16)}`);
    /** Full blocks, half full ones or empty ones of others. */
    const fill = (halves: bigint) =>
      simulated.setWeather({
        others: { gas: (head().gasLimit * halves) / 2n, tip: halves === 2n ? 10n ** 12n : 0n },
      });
    simulated.setWeather({ usualTip: TIPS[0] ?? 0n });
    fill(1n);
    await anvilCall(network.chain, 'evm_setAutomine', false);
    const mine = async () => {
      await anvilCall(network.chain, 'anvil_mine', '0x1');
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_BLOCKS));
    };
    await mine();
    await mine();
    const first = head().baseFee + (TIPS[0] ?? 0n);
    const start = head().number;
    const all = promisesFrom(start, drawn);
    const over = new Set<One>();
    const minedAt = new Map<One, bigint>();
    const weiOf = ({ isCheap }: One) => (ASIDE * first) / (isCheap ? 3n : 1n);
    const aside = () => all.reduce((sum, one) => (over.has(one) ? sum : sum + weiOf(one)), 0n);
    await setBalance(aside());
    const storage = memoryStorage();
    const begin = () => {
      const queue = beginQueue(network, { storage });
      queue.start();
      return { queue, given: new Set<One>() };
    };
    let process = begin();
    function give(): void {
      for (const one of all) {
        if (over.has(one) || one.due > head().number || process.given.has(one)) continue;
        process.given.add(one);
        const { key, number, mayShare, deadline: deadlineBlock } = one;
        const own = () => (over.has(one) ? 0n : weiOf(one));
        const job = { deadlineBlock, mayShare, leaves: aside, aside: own };
        process.queue.submit(registration(network, key, number, job));
      }
    }
    function look(): void {
      for (const one of all) {
        const outcome = process.queue.outcomes.get(one.key);
        if (outcome === undefined || over.has(one)) continue;
        if (outcome.ok) minedAt.set(one, outcome.minedBlock);
        if (outcome.ok && head().number < outcome.minedBlock + 6n) continue;
        process.queue.forget(one.key);
        over.add(one);
      }
    }
    async function restart(now: number): Promise<void> {
      await process.queue.stop();
      const away = drawn(8);
      if (now * 1.125 ** (away + 3) > MOST) fill(0n);
      for (let n = 0; n < away; n++) await anvilCall(network.chain, 'anvil_mine', '0x1');
      const { outcomes } = process.queue;
      process = begin();
      for (const [key, outcome] of outcomes) process.queue.outcomes.set(key, outcome);
    }
    let worst = 0;
    for (let block = 0; block < BLOCKS; block++) {
      fill(0n);
      if (drawn(6) === 0 && head().number > start + 6n)
        simulated.reorganise(1 + drawn(3), {
          keep: () => (['again', 'later', 'never'] as const)[drawn(3)] ?? 'again',
        });
      const now = Number((head().baseFee * 1_000n) / first) / 1_000;
      worst = Math.max(worst, now);
      if (now < MOST / 1.13 && drawn(3) > 0) fill(2n);
      else fill(now > MOST * 0.9 || (drawn(4) === 0 && now > 1) ? 0n : 1n);
      if (drawn(10) === 0) simulated.setWeather({ usualTip: TIPS[drawn(TIPS.length)] ?? 0n });
      if (drawn(15) === 0) await restart(now);
      give();
      await mine();
      look();
      const wei = await network.chain.client.getBalance({ address: owner });
      const least = aside() + process.queue.reserved();
      if (wei > least) await setBalance(least);
    }
    expect(process.queue.failures).toEqual([]);
    await process.queue.stop();
    await network.stop();
    const isLost = (one: One) => (minedAt.get(one) ?? one.deadline + 1n) > one.deadline;
    expect(worst).toBeLessThan(3);
    expect(all.filter((one) => !one.isCheap && isLost(one))).toEqual([]);
  },
);

/** Numbers below the one that is asked for, by a seed. */
function chances(seed: number): (below: number) => number {
  let state = seed * 7919;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function promisesFrom(start: bigint, drawn: (below: number) => number): One[] {
  return Array.from({ length: 4 + drawn(20) }, (_, number): One => {
    const isCheap = number % 2 === 1;
    const mayShare = drawn(3) > 0;
    const due = start + BigInt(drawn(40));
    const deadline = due + 25n + BigInt(drawn(25)) + (isCheap ? 200n : 0n);
    return { key: `promise ${number}`, number: 100 + number, isCheap, mayShare, due, deadline };
  });
}
