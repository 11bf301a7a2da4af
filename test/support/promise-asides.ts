/** Promises for which money was set aside at the price of a quiet chain, and an operator that spends all that is free. */
import { beforeEach } from 'vitest';
import type { Job } from '../../src/chain/queue/jobs.ts';
import { asUpdate, REGISTRATION, registration, useQueue } from './promises.ts';
import { until } from './until.ts';

/** The tip that a few loud transactions make usual: no more is believed. */
export const LOUD = 500n * 10n ** 9n;
/** Blocks until nobody doubts that a transaction was mined: what was set aside for it is free then. */
const DOUBTFUL = 6n;

/** `wei`: what is set aside for it; absent `mayShare`: it is alone in its transaction. */
type Due = { blocks: bigint; wei: bigint; mayShare?: boolean; isUpdate?: boolean };

/** Each test of a file begins on a chain whose blocks are half full. */
export function usePromises() {
  const queue = useQueue();
  const { network, head, sent, minedBlock } = queue;
  const asides = new Map<string, bigint>();
  const jobs = new Map<string, Job>();
  /** What a unit of gas costs when the promises are given. */
  let first = 0n;
  beforeEach(async () => {
    asides.clear();
    jobs.clear();
    queue.stay();
    await queue.mine(2);
    first = queue.price();
  });

  const isOver = (key: string) => head().number >= (minedBlock(key) ?? head().number) + DOUBTFUL;
  const asideOf = (key: string) => (isOver(key) ? 0n : (asides.get(key) ?? 0n));
  const aside = () => [...asides.keys()].reduce((sum, key) => sum + asideOf(key), 0n);
  const balance = () =>
    network().chain.client.getBalance({ address: network().signerOf('bob').address });

  function promise(key: string, { blocks, wei, mayShare = false, isUpdate = false }: Due): void {
    asides.set(key, wei);
    const job = registration(network(), key, 1 + jobs.size, {
      deadlineBlock: head().number + blocks,
      mayShare,
      leaves: aside,
      aside: () => asideOf(key),
    });
    jobs.set(key, isUpdate ? asUpdate(job) : job);
    give(key);
  }
  function give(key: string): void {
    const job = jobs.get(key);
    if (job !== undefined) queue.give(job);
  }
  async function isSent(begin: () => void): Promise<void> {
    const before = sent.length;
    begin();
    await until(() => sent.length > before, 'it is sent');
  }

  return {
    ...queue,
    promise,
    /** What is set aside for a registration. */
    unit: () => 3n * REGISTRATION * first,
    /** How much dearer gas is than when the promises were given. */
    dearer: () => Number((head().baseFee * 1_000n) / first) / 1_000,
    /** It was promised, and is not due yet. */
    setAside: (key: string, wei: bigint) => void asides.set(key, wei),
    /** The account has what is set aside, and so much more. */
    fund: (more = 0n) => queue.setBalance(aside() + more),
    /** What tips are said to be usual from now on. */
    sayUsual: (usualTip: bigint) => network().simulated.setWeather({ usualTip }),
    /** As `promise`; ends when it is sent. */
    send: (key: string, due: Due) => isSent(() => promise(key, due)),
    /** Somebody wants this, and nobody was promised it; ends when it is sent. */
    order: (key: string) =>
      isSent(() => {
        const more = { isPromised: () => false, leaves: aside };
        queue.give(registration(network(), key, 1_000 + jobs.size, more));
      }),
    /** One block after the other; the operator spends what is free after each. */
    async mine(blocks: number): Promise<void> {
      for (let n = 0; n < blocks; n++) {
        await queue.mine(1);
        const least = aside() + queue.reserved();
        if ((await balance()) > least) await queue.setBalance(least);
      }
    },
    /** The process ends and starts again after so many blocks. */
    async restart(blocks: number, meanwhile = () => {}): Promise<void> {
      await queue.stop();
      await queue.mine(blocks);
      meanwhile();
      await queue.replace();
      for (const key of jobs.keys()) if (minedBlock(key) === null) give(key);
      queue.start();
    },
    /** Which of these were not mined in time. */
    lost: (...keys: string[]) =>
      keys.filter((key) => {
        const deadline = jobs.get(key)?.deadlineBlock ?? 0n;
        return (minedBlock(key) ?? deadline + 1n) > deadline;
      }),
  };
}
