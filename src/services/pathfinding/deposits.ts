/**
 * What the user deposit of a sender is worth, asked of the chain as seldom as that is safe: anybody can make a key
 * and sign with it, and each question costs the operator of the service.
 */
import { userDepositAbi } from '../../chain/abi.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { Address } from '../../protocol/hex.ts';
import { createTokenBucket } from '../../protocol/token-bucket.ts';

/** Blocks: the newest, and the newest confirmed one. */
type Head = { nowBlock: bigint; confirmedBlock: bigint };
type Parts = {
  client: Pick<ChainClient, 'readContract'>;
  userDeposit: Address;
  head(): Head;
  /** Milliseconds. */
  now(): number;
};
/** `busy`: too many strangers ask at once. What the chain does not answer is thrown. */
export type Deposit = { ok: true; least: bigint } | { ok: false; busy: true };
/** `isWhole`: every block was looked at, and not only the newest, which was too little already. */
type Known = { block: bigint; least: bigint; isWhole: boolean };

/** Most blocks above the confirmed one that a deposit is looked at in. */
const MOST_BLOCKS = 20n;
/** Senders that are remembered; the one that was asked for least recently goes. */
const MOST_KNOWN = 10_000;
/** Questions for senders that have not paid yet; those who have are not held up by them. */
const STRANGERS = { most: 100, perSecond: 20 };

export function createDeposits({ client, userDeposit, head, now }: Parts) {
  const known = new Map<Address, Known>();
  /** Questions that are on their way: whoever asks the same meanwhile waits for them. */
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

  /** The least that services could count on in any block that may still become the last one. */
  async function look(owner: Address, wanted: bigint): Promise<bigint> {
    const { nowBlock, confirmedBlock } = head();
    const newest = await balanceAt(owner, nowBlock);
    // Too little is too little: the other blocks would not make it more.
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
   * At least `wanted`, or what is there instead. `hasPaid`: the sender has an open session. Within a block it is
   * asked for once.
   */
  async function leastOf(owner: Address, wanted: bigint, hasPaid: boolean): Promise<Deposit> {
    const found = known.get(owner);
    const isKnown = found !== undefined && (found.isWhole || found.least < wanted);
    if (isKnown && found.block === head().nowBlock) return { ok: true, least: found.least };
    const waiting = asked.get(owner);
    if (waiting !== undefined) {
      // It may have been asked whether there is more than what is wanted here.
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

function firstOf({ nowBlock, confirmedBlock }: Head): bigint {
  return nowBlock - confirmedBlock > MOST_BLOCKS ? nowBlock - MOST_BLOCKS : confirmedBlock;
}
