/** Channels whose sides have signed one proof after the other, of which any may stand on chain at the end. */
import fc from 'fast-check';
import type { Hash } from '../../src/basics/hex.ts';
import { balanceHash } from '../../src/protocol/channel/balance-proof.ts';
import {
  type ChannelEnd,
  distributable,
  EMPTY_END,
  proofAmounts,
  withLock,
  withoutLock,
  withUnlocked,
  withWithdrawn,
} from '../../src/protocol/channel/channel-end.ts';
import type { Lock } from '../../src/protocol/channel/lock.ts';
import { hashOf } from './makers.ts';

export type Who = 'own' | 'partner';
/** All that a side signed, the oldest first; it begins with the state before its first proof. */
type Histories = Record<Who, readonly ChannelEnd[]>;
export type Case = {
  histories: Histories;
  /** What stands on chain, as places in the histories; 0: no proof of that side. */
  onChain: Record<Who, number>;
  closer: Who;
  /** In which block each registered secret was registered. */
  revealed: ReadonlyMap<Hash, bigint>;
};

/** When all locks end; a secret of this block is too late. */
export const EXPIRATION = 400n;

/** `isSigned`: the side signs then, with all that it has changed since it last did. */
type Act =
  | {
      type: 'lock';
      who: Who;
      amount: bigint;
      fate: 'early' | 'late' | 'never';
      isSigned: boolean;
    }
  | { type: 'resolve'; who: Who; pick: number; isPaid: boolean; isSigned: boolean }
  | { type: 'withdraw'; who: Who; amount: bigint };

const who = fc.constantFrom<Who>('own', 'partner');
/** Often all that is there: what matters happens where a side has nothing left. */
const amount = fc.oneof(fc.bigInt(1n, 25n), fc.constant(1_000n));
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('lock' as const),
      who,
      amount,
      fate: fc.constantFrom('early' as const, 'late' as const, 'never' as const),
      isSigned: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('resolve' as const),
      who,
      pick: fc.nat(20),
      isPaid: fc.boolean(),
      isSigned: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('withdraw' as const), who, amount }),
  },
);

/** Hashing is most of the work, and all cases take their secrets from the same few. */
const HASHES = Array.from({ length: 40 }, (_, n) => hashOf(n + 1));

const other = (side: Who): Who => (side === 'own' ? 'partner' : 'own');

function play(deposits: Record<Who, bigint>, acts: readonly Act[]) {
  const start = (deposit: bigint): ChannelEnd => ({ ...EMPTY_END, deposit });
  const ends = { own: start(deposits.own), partner: start(deposits.partner) };
  const histories = { own: [ends.own], partner: [ends.partner] };
  const revealed = new Map<Hash, bigint>();
  let count = 0;

  /** A side signs after several changes, or after one. */
  function change(side: Who, end: ChannelEnd, { isSigned }: { isSigned: boolean }) {
    ends[side] = end;
    if (isSigned) sign(side);
  }
  function sign(side: Who) {
    const last = histories[side].at(-1);
    const end = ends[side];
    if (last?.locks === end.locks && last.transferred === end.transferred) return;
    ends[side] = { ...end, nonce: end.nonce + 1n };
    histories[side].push(ends[side]);
  }
  for (const one of acts) {
    const end = ends[one.who];
    const free = distributable(end, ends[other(one.who)]);
    switch (one.type) {
      case 'lock': {
        const amount = one.amount < free ? one.amount : free;
        if (amount === 0n) break;
        count += 1;
        const secrethash = HASHES[count - 1];
        if (secrethash === undefined) throw new Error('histories: too many locks');
        const lock: Lock = {
          amount,
          expiration: EXPIRATION,
          secrethash,
        };
        if (one.fate === 'early') revealed.set(lock.secrethash, EXPIRATION - 1n);
        if (one.fate === 'late') revealed.set(lock.secrethash, EXPIRATION);
        change(one.who, withLock(end, lock), one);
        break;
      }
      case 'resolve': {
        const lock = end.locks[one.pick % Math.max(end.locks.length, 1)];
        if (lock === undefined) break;
        // What was registered in time is owed.
        const isPaid = one.isPaid || revealed.get(lock.secrethash) === EXPIRATION - 1n;
        change(one.who, isPaid ? withUnlocked(end, lock) : withoutLock(end, lock), one);
        break;
      }
      case 'withdraw':
        if (one.amount <= free) ends[one.who] = withWithdrawn(end, end.withdrawn + one.amount);
    }
  }
  sign('own');
  sign('partner');
  return { ends, histories, revealed };
}

/** What was withdrawn counts at the end, whichever proof is brought. */
const withFacts = (history: readonly ChannelEnd[], { deposit, withdrawn }: ChannelEnd) =>
  history.map((end) => ({ ...end, deposit, withdrawn }));

/** Any histories, with any proof of either side on chain: the newest, an old one, or none. */
export function anyCase(most = 14): fc.Arbitrary<Case> {
  const deposits = fc.record({ own: fc.bigInt(0n, 60n), partner: fc.bigInt(0n, 60n) });
  const acts = fc.array(act, { maxLength: most });
  return fc
    .tuple(deposits, acts, fc.nat(1_000), fc.nat(1_000), who, fc.constantFrom(0, 0, 0, 1, 2))
    .map(([given, list, a, b, closer, newest]) => {
      const { ends, histories, revealed } = play(given, list);
      const place = (side: Who, draw: number, isNewest: boolean) =>
        isNewest ? histories[side].length - 1 : draw % histories[side].length;
      return {
        closer,
        revealed,
        histories: {
          own: withFacts(histories.own, ends.own),
          partner: withFacts(histories.partner, ends.partner),
        },
        onChain: { own: place('own', a, newest === 1), partner: place('partner', b, newest === 2) },
      };
    });
}

export function newestOf({ histories }: Case, side: Who): ChannelEnd {
  return endAt(histories[side], histories[side].length - 1);
}
export function onChainOf({ histories, onChain }: Case, side: Who): ChannelEnd {
  return endAt(histories[side], onChain[side]);
}
export const hashOfEnd = (end: ChannelEnd): Hash => balanceHash(proofAmounts(end));

function endAt(history: readonly ChannelEnd[], place: number): ChannelEnd {
  const end = history[place];
  if (end === undefined) throw new Error('histories: no such proof');
  return end;
}

/** What the contract's unlock counts of the locks, before it looks at what it has kept. */
export function countedOf({ revealed }: Case, locks: readonly Lock[]): bigint {
  return locks
    .filter(({ secrethash, expiration }) => (revealed.get(secrethash) ?? expiration) < expiration)
    .reduce((sum, { amount }) => sum + amount, 0n);
}
