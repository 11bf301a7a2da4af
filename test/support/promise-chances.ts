/** Promises by chance, at an operator that spends all that is free; a story decides what each block and each restart is like. */
import { anvilCall, memoryStorage } from './chain.ts';
import { startVirtualNetwork } from './network.ts';
import { asUpdate, beginQueue, registration, TIP } from './promises.ts';

/** Tips that may be said to be usual. */
const TIPS = [TIP, TIP, 10n ** 9n, 500n * 10n ** 9n];
/** In virtual milliseconds: long enough for the queue to send what it wants to. */
const BETWEEN_BLOCKS = 150;
/** Blocks until nobody doubts that a transaction was mined. */
const DOUBTFUL = 6n;

/** Answers numbers below the one that is asked for. */
export type Drawn = (below: number) => number;
/**
 * `wei`: what is set aside; absent `isPromised`: it is promised; `endBlock`: from here on nobody needs it any more; absent
 * `isUpdate`: it is a registration.
 */
export type Due = {
  number: number;
  wei: bigint;
  mayShare: boolean;
  due: bigint;
  deadline: bigint;
  isPromised?: boolean;
  isUpdate?: boolean;
  endBlock?: bigint | null;
};
/** `price`: of a unit of gas when all is promised, in the block `start`. */
type Given = { start: bigint; price: bigint };

export function chances(seed: number): Drawn {
  let state = seed * 7919;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** A chain whose blocks are half full, without automatic ones. */
async function startChain() {
  const network = startVirtualNetwork({});
  const { simulated, chain } = network;
  const head = () => simulated.head();
  /** Full blocks, half full ones or empty ones of others. */
  const fill = (halves: bigint) =>
    simulated.setWeather({
      others: { gas: (head().gasLimit * halves) / 2n, tip: halves === 2n ? 10n ** 12n : 0n },
    });
  const mine = () => anvilCall(chain, 'anvil_mine', '0x1');
  const step = async () => {
    await mine();
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_BLOCKS));
  };
  simulated.setWeather({ usualTip: TIP });
  fill(1n);
  await anvilCall(chain, 'evm_setAutomine', false);
  await step();
  await step();
  return { network, simulated, head, fill, mine, step };
}

export async function startChances<T extends Due>(
  drawn: Drawn,
  drawAll: (given: Given) => readonly T[],
) {
  const world = await startChain();
  const { network, simulated, head, step } = world;
  const { client } = network.chain;
  const address = network.signerOf('bob').address;
  const setBalance = (wei: bigint) =>
    anvilCall(network.chain, 'anvil_setBalance', address, `0x${wei.toString(16)}`);
  const given = { start: head().number, price: head().baseFee + TIP };
  const all = drawAll(given);
  const over = new Set<T>();
  const minedAt = new Map<T, bigint>();
  const keyOf = ({ number }: T) => `promise ${number}`;
  const own = (one: T) => (over.has(one) ? 0n : one.wei);
  const aside = () => all.reduce((sum, one) => sum + own(one), 0n);
  await setBalance(aside());

  let isSilent = false;
  const getBlock: typeof client.getBlock = (...asked) => {
    if (isSilent) throw new Error('the endpoint is silent');
    return client.getBlock(...asked);
  };
  const storage = memoryStorage();
  const begin = () => {
    const queue = beginQueue(network, { storage, client: { ...client, getBlock } });
    queue.start();
    return { queue, given: new Set<T>() };
  };
  let process = begin();

  function give(): void {
    for (const one of all) {
      if (over.has(one) || one.due > head().number || process.given.has(one)) continue;
      process.given.add(one);
      const { isPromised = true, isUpdate = false, endBlock = null } = one;
      const isWanted = () => endBlock === null || head().number < endBlock;
      const job = registration(network, keyOf(one), one.number, {
        deadlineBlock: isPromised ? one.deadline : null,
        mayShare: one.mayShare,
        leaves: aside,
        aside: () => own(one),
        isPromised: () => isPromised && isWanted(),
        isWanted,
      });
      process.queue.submit(isUpdate ? asUpdate(job) : job);
    }
  }
  function look(): void {
    for (const one of all) {
      const outcome = process.queue.outcomes.get(keyOf(one));
      if (outcome === undefined || over.has(one)) continue;
      if (outcome.ok) minedAt.set(one, outcome.minedBlock);
      if (outcome.ok && head().number < outcome.minedBlock + DOUBTFUL) continue;
      process.queue.forget(keyOf(one));
      over.add(one);
    }
  }

  return {
    ...world,
    given,
    all,
    /** How much dearer gas is than when all was promised. */
    dearer: () => Number((head().baseFee * 1_000n) / given.price) / 1_000,
    drawTip: () => simulated.setWeather({ usualTip: TIPS[drawn(TIPS.length)] ?? 0n }),
    /** Up to so many blocks are replaced, unless they are those in which all was promised. */
    reorganise(most: number): void {
      if (head().number <= given.start + DOUBTFUL) return;
      const keep = () => (['again', 'later', 'never'] as const)[drawn(3)] ?? 'again';
      simulated.reorganise(1 + drawn(most), { keep });
    },
    /** What the queue asks about blocks is not answered. */
    setSilent(value: boolean): void {
      isSilent = value;
    },
    async restart(meanwhile = async () => {}): Promise<void> {
      await process.queue.stop();
      await meanwhile();
      const { outcomes } = process.queue;
      process = begin();
      for (const [key, outcome] of outcomes) process.queue.outcomes.set(key, outcome);
    },
    /** One block; the operator spends what is free. */
    async mineOne(): Promise<void> {
      give();
      await step();
      look();
      const least = aside() + process.queue.reserved();
      if ((await client.getBalance({ address })) > least) await setBalance(least);
    },
    /** The operator pays in so much more than is set aside. */
    payIn: (wei: bigint) => setBalance(aside() + process.queue.reserved() + wei),
    isLost: (one: T) => (minedAt.get(one) ?? one.deadline + 1n) > one.deadline,
    /** Answers what the process could not go on after. */
    async stop(): Promise<unknown[]> {
      await process.queue.stop();
      await network.stop();
      return process.queue.failures;
    },
  };
}
