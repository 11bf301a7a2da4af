/**
 * The user deposits of senders, read from the chain as seldom as is safe: anybody can make a key and sign with it, and
 * each read costs the operator of the service.
 */

import type { Address } from '../../basics/hex.ts';
import { createTokenBucket } from '../../basics/token-bucket.ts';
import { userDepositAbi } from '../../chain/abi.ts';
import type { ChainClient } from '../../chain/client.ts';

/** The newest block, and the newest confirmed one. */
export type ChainHead = { nowBlock: bigint; confirmedBlock: bigint };
type Parts = {
  client: Pick<ChainClient, 'readContract'>;
  userDeposit: Address;
  head(): ChainHead;
  /** Milliseconds. */
  now(): number;
};
/**
 * `least`: what services can count on. `busy`: too many strangers ask at once. A failing chain is thrown as an error.
 */
export type SeenDeposit = { ok: true; least: bigint } | { ok: false; busy: true };
/** `isWhole`: all unconfirmed blocks were read; false: only the newest one, which was too low already. */
type Known = { block: bigint; least: bigint; isWhole: boolean };

/** Most unconfirmed blocks at which a deposit is read. */
const MOST_BLOCKS = 20n;
/** Most senders that are remembered; the one read longest ago is forgotten first. */
const MOST_KNOWN = 10_000;
/** Limit on reads for senders that have not paid yet, so that they do not delay those who have. */
const STRANGERS = { most: 100, perSecond: 20 };

export function createDeposits({ client, userDeposit, head, now }: Parts) {
  const known = new Map<Address, Known>();
  /** Reads that are on their way: other requests for the same sender wait for them. */
  const asked = new Map<Address, Promise<bigint>>();
  const strangers = createTokenBucket({ ...STRANGERS, now });

  function balanceAt(owner: Address, blockNumber: bigint): Promise<bigint> {
    return client.readContract({
      address: userDeposit,
      abi: userDepositAbi,
      functionName: 'effectiveBalance',
      args: [owner],
      blockNumber,
    });
  }

  /** The lowest deposit in any block from the last confirmed one on: after a reorganisation any of them may count. */
  async function look(owner: Address, wanted: bigint): Promise<bigint> {
    const { nowBlock, confirmedBlock } = head();
    const newest = await balanceAt(owner, nowBlock);
    // If the newest block shows too little, the other blocks cannot raise the minimum.
    const isWhole = newest >= wanted;
    const first = isWhole ? firstOf({ nowBlock, confirmedBlock }) : nowBlock;
    const blocks = Array.from({ length: Number(nowBlock - first) }, (_, at) => first + BigInt(at));
    const others = await Promise.all(blocks.map((block) => balanceAt(owner, block)));
    const least = others.reduce((low, one) => (one < low ? one : low), newest);
    note(owner, { block: nowBlock, least, isWhole });
    return least;
  }

  function note(owner: Address, found: Known): void {
    known.delete(owner);
    known.set(owner, found);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  /**
   * The deposit: at least `wanted`, or the lower amount. `hasPaid`: the sender has an open session. It is read at most
   * once within a block.
   */
  async function leastOf(owner: Address, wanted: bigint, hasPaid: boolean): Promise<SeenDeposit> {
    const found = known.get(owner);
    const isKnown = found !== undefined && (found.isWhole || found.least < wanted);
    if (isKnown && found.block === head().nowBlock) return { ok: true, least: found.least };
    const waiting = asked.get(owner);
    if (waiting !== undefined) {
      // That read may have been for another amount, so its result is judged anew.
      await waiting;
      return leastOf(owner, wanted, hasPaid);
    }
    if (!hasPaid && !strangers.take()) return { ok: false, busy: true };
    const answer = look(owner, wanted).finally(() => asked.delete(owner));
    asked.set(owner, answer);
    return { ok: true, least: await answer };
  }

  return { leastOf };
}

function firstOf({ nowBlock, confirmedBlock }: ChainHead): bigint {
  return nowBlock - confirmedBlock > MOST_BLOCKS ? nowBlock - MOST_BLOCKS : confirmedBlock;
}
