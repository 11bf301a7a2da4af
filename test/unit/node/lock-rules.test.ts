import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import { GAS_PER_BLOCK, gasOfSecrets } from '../../../src/chain/queue/secret-batches.ts';
import type { Customers } from '../../../src/node/chain/gas/customers.ts';
import {
  cleanBooksRule,
  gasRule,
  roomFor,
  roomLeft,
  roomRule,
  worthRule,
} from '../../../src/node/chain/lock-rules.ts';
import type { PendingLocks } from '../../../src/node/chain/pending-locks.ts';
import { USUAL_BOUNDS } from '../../../src/node/runtime/knowledge/bounds.ts';
import type { LockQuestion } from '../../../src/node/runtime/knowledge/lock-gate.ts';
import { openChannel, withEnds } from '../../support/channel-makers.ts';
import {
  blockReached,
  CHANNEL,
  EXPIRATION,
  hashOf,
  PARTNER,
  REVEAL_TIMEOUT,
  SIGNATURE,
  STRANGER,
  secretRevealed,
  TOKEN,
  txDone,
} from '../../support/makers.ts';
import { forMediator, mediator, PAYEE, payerSide } from '../../support/mediation-makers.ts';
import { lockEnded, revealSecret, target } from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';
import {
  asksToForward,
  brings,
  copies,
  forwarded,
  knowing,
  known,
  type Living,
  refusalOf,
} from '../../support/risk-makers.ts';

const CONFIRMATIONS = 1n;
const DANGER = EXPIRATION - REVEAL_TIMEOUT;

/** So many channels of strangers, all alike. */
const strangers = (count: number, one: Living) =>
  Array.from({ length: count }, (_, n): [string, Living] => [`channel:of:stranger:${n}`, one]);
/** A channel into which this node has put nothing: what it has of this token, others gave it. */
function given(amount: bigint, token: Address): Living {
  const channel = openChannel({ deposit: 0n, token, partner: STRANGER });
  const { value, context } = withEnds(channel, { partner: { transferred: amount } }).snapshot;
  const proof = { nonce: 1n, balanceHash: hashOf(1), additionalHash: hashOf(2) };
  const partnerProof = { ...proof, signature: SIGNATURE };
  return { snapshot: { value, context: { ...context, partnerProof } } };
}

describe('a payer that made this node turn to the chain', () => {
  const revealed = mediator().tell(forMediator.forwarded(), revealSecret());
  const registering = revealed.tell(blockReached(DANGER));
  const done = registering.tell(txDone(effectOf(registering, 'tx.registerSecret').key));
  const id = `mediator:${hashOf(1)}`;
  const judged = (pending: PendingLocks, asked = asksToForward()) =>
    refusalOf(cleanBooksRule({ pending }), pending, asked);

  it('gets nothing passed on while its lock is unpaid, unlike other payers', () => {
    expect(judged(known([id, revealed]))).toBeNull();
    expect(judged(known([id, registering]))).toBe('no_route');
    expect(judged(known([id, done]))).toBe('no_route');
    expect(judged(known([id, done]), asksToForward({ partner: STRANGER }))).toBeNull();
  });

  it('is as good as before when it has paid', () => {
    expect(judged(known([id, done.tell(lockEnded.unlocked())]))).toBeNull();
    const pending = known([id, done]);
    pending.forget(id);
    expect(judged(pending)).toBeNull();
  });

  it('is not to blame when somebody else brought the secret on chain', () => {
    expect(judged(known([id, revealed.tell(secretRevealed(DANGER))]))).toBeNull();
  });

  it('may still pay this node itself', () => {
    expect(judged(known([id, done]), brings())).toBeNull();
  });

  it('is refused in the same way when this node was the target', () => {
    const forced = target({ initiator: STRANGER }).tell(revealSecret(), blockReached(DANGER));
    expect(judged(known([`target:${hashOf(1)}`, forced]))).toBe('no_route');
  });
});

describe('the money for gas', () => {
  const PRICE = 10n ** 9n;
  const shortages: bigint[] = [];
  const judge = (
    spare: bigint | null,
    asked = asksToForward(),
    pending = known(),
    customers: Pick<Customers, 'placesOf'> = { placesOf: () => 0 },
  ) => {
    const money = () => (spare === null ? null : { spare, price: PRICE });
    const onShort = (wanted: bigint) => shortages.push(wanted);
    return refusalOf(gasRule({ pending, customers, onShort, watch: { money } }), pending, asked);
  };
  /** Three times the price of a registration. */
  const REGISTRATION = 3n * 60_000n * PRICE;
  /** An update and a registration: what a lock in a channel without one promises. */
  const WANTED = REGISTRATION + 3n * 110_000n * PRICE;

  it('has to suffice for one more lock at three times its price', () => {
    expect(judge(WANTED)).toBeNull();
    expect(judge(WANTED - 1n)).toBe('insufficient_gas');
    expect(shortages).toEqual([WANTED]);
  });

  it('has to suffice for a secret that is shown to a mediator, but for no own payment', () => {
    expect(judge(WANTED - 1n, brings())).toBe('insufficient_gas');
    expect(judge(WANTED, brings())).toBeNull();
    expect(judge(0n, { kind: 'own', channel: CHANNEL })).toBeNull();
  });

  it('is not needed for a payment whose secret is not known, or was drawn by who pays it', () => {
    expect(judge(0n, brings(10n, { secret: null }))).toBeNull();
    expect(judge(0n, brings(10n, { initiator: PARTNER }))).toBeNull();
  });

  it('is needed for each lock that may have to be registered', () => {
    const pending = known(...forwarded(3));
    const wanted = WANTED + 3n * REGISTRATION;
    expect(judge(wanted, asksToForward(), pending)).toBeNull();
    expect(judge(wanted - 1n, asksToForward(), pending)).toBe('insufficient_gas');
  });

  it('has to leave three quarters to others when the lock means little', () => {
    const channel = 'channel:of:stranger:0';
    const asked = asksToForward({ partner: STRANGER, amountIn: 1n, channel });
    const pending = known([channel, given(1n, STRANGER)]);
    const wanted = WANTED + 3n * REGISTRATION;
    expect(judge(wanted, asked, pending)).toBeNull();
    expect(judge(wanted - 1n, asked, pending)).toBe('insufficient_gas');
  });

  it('has to leave as much to others as strangers hold together, or is for a customer’s places in a quarter', () => {
    const channel = 'channel:of:stranger:0';
    const payer = payerSide({ partner: PAYEE, channel });
    const bare = openChannel({ partner: STRANGER, deposit: 0n });
    const pending = known([channel, bare], ...forwarded(3, { payer }));
    const asked = asksToForward({ partner: STRANGER, channel });
    const wanted = WANTED + 3n * REGISTRATION;
    expect(judge(wanted + 3n * REGISTRATION, asked, pending)).toBeNull();
    expect(judge(wanted + 3n * REGISTRATION - 1n, asked, pending)).toBe('insufficient_gas');
    const offered: number[] = [];
    const customers = (places: number) =>
      judge(wanted, asked, pending, {
        placesOf(_, of) {
          offered.push(of);
          return places;
        },
      });
    expect([customers(1), customers(0)]).toEqual([null, 'insufficient_gas']);
    expect(offered[0]).toBe(Number(wanted / (4n * REGISTRATION)));
  });

  describe('when strangers open channels with this node', () => {
    const opened = (held: bigint) => openChannel({ deposit: held, funded: 0n });

    it('suffices as before whatever they deposit on this node’s side', () => {
      for (const held of [0n, 1n, 160n]) {
        const pending = known(...strangers(50, opened(held)));
        expect(judge(WANTED, asksToForward(), pending)).toBeNull();
      }
    });

    it('suffices as before when each of them locks a unit for ever', () => {
      const lock = { amount: 1n, expiration: 2n ** 200n, secrethash: hashOf(9) };
      const held = withEnds(opened(0n), { partner: { locked: 1n, locks: [lock] } });
      const pending = known(...strangers(6, held));
      expect(judge(WANTED, asksToForward(), pending)).toBeNull();
      expect(pending.gas()).toBeGreaterThan(known().gas());
    });

    it('suffices as before when each of them pays a unit of a token that nobody knows', () => {
      const pending = known(...strangers(6, given(1n, STRANGER)));
      expect(judge(WANTED, asksToForward(), pending)).toBeNull();
    });

    it('has to suffice for the update of what this node was paid in a token that it has put into another channel', () => {
      const paid = strangers(1, given(1_000n, TOKEN));
      expect(judge(WANTED, asksToForward(), known(...paid))).toBe('insufficient_gas');
      // Also when that channel is found first, as at a start.
      const other: [string, Living] = ['channel:own:2', openChannel({ token: PAYEE })];
      const wanted = known(other, ...strangers(1, given(1_000n, PAYEE))).promised();
      expect(known(...strangers(1, given(1_000n, PAYEE)), other).promised()).toBe(wanted);
      expect(wanted).toBe(3n * 110_000n * PRICE);
    });

    it('is still reported with their channels included', () => {
      const pending = known(...strangers(1, opened(0n)));
      expect(pending.gas()).toBeGreaterThan(known().gas());
      expect(pending.promised()).toBe(known().promised());
    });
  });

  it('refuses while it is unknown', () => {
    expect(judge(null)).toBe('chain_unavailable');
  });
});

describe('a lock of a token whose worth is known', () => {
  const PRICE = 10n ** 9n;
  /** Three times the price of a registration. */
  const COST = 3n * 60_000n * PRICE;
  const judge = (asked: LockQuestion, value: bigint | null, price: bigint | null = PRICE) => {
    const pending = knowing(new Map(value === null ? [] : [[TOKEN, value]]));
    const money = () => (price === null ? null : { spare: 0n, price });
    return refusalOf(worthRule({ pending, watch: { money } }), pending, asked);
  };
  /** So much is 10 worth at that value. */
  const value = (COST * 10n ** 18n) / 10n;

  it('is promised nothing when its registration costs more now', () => {
    expect(judge(asksToForward(), value)).toBeNull();
    expect(judge(asksToForward(), value - 1n)).toBe('no_route');
    expect(judge(asksToForward(), value, PRICE + 1n)).toBe('no_route');
    expect(judge(asksToForward({ amountIn: 9n }), value)).toBe('no_route');
  });

  it('is promised nothing while the price of gas is not known', () => {
    expect(judge(asksToForward(), value, null)).toBe('chain_unavailable');
  });

  it('is not judged by that when nothing was said of its token', () => {
    expect(judge(asksToForward({ amountIn: 1n }), null, null)).toBeNull();
  });

  it('means something, although this node has put nothing into a channel', () => {
    const bare: [string, Living] = [CHANNEL, given(5n, STRANGER)];
    expect(known(bare).isSmall(5n, STRANGER)).toBe(true);
    expect(knowing(new Map([[STRANGER, 1n]]), bare).isSmall(5n, STRANGER)).toBe(false);
  });
});

describe('the room for registrations', () => {
  const terms = { confirmations: CONFIRMATIONS, ...USUAL_BOUNDS };
  const ROOM = roomFor(REVEAL_TIMEOUT, terms);
  /** The room of 5 blocks. */
  const SHORT = 214;
  const judge = (pending: PendingLocks, asked = asksToForward()) =>
    refusalOf(roomRule({ pending, confirmations: CONFIRMATIONS }), pending, asked);
  const from = (partner: Address, revealTimeout = REVEAL_TIMEOUT) => ({
    payer: payerSide({ partner, revealTimeout }),
  });

  it('is what the blocks of the reveal timeout take at the gas that is counted on', () => {
    const blocks = REVEAL_TIMEOUT - CONFIRMATIONS - 3n;
    expect(gasOfSecrets(ROOM)).toBeLessThanOrEqual(blocks * GAS_PER_BLOCK);
    expect(gasOfSecrets(ROOM + 10)).toBeGreaterThan(0.9 * Number(blocks * GAS_PER_BLOCK));
    expect(roomFor(CONFIRMATIONS + 3n, terms)).toBe(0);
    expect(roomFor(5n, terms)).toBe(SHORT);
  });

  it('is given to one partner as far as it leaves as much', () => {
    const half = ROOM / 2;
    const full = known(...forwarded(half));
    expect(judge(known(...forwarded(half - 1)))).toBeNull();
    expect(judge(full)).toBe('too_many_locks');
    expect(judge(full, brings())).toBe('too_many_locks');
    expect(judge(full, asksToForward({ partner: STRANGER }))).toBeNull();
  });

  it('is as large as before when locks are pending whose reveal timeout is short', () => {
    const pending = known(...forwarded(SHORT, from(STRANGER, 5n)));
    expect(judge(pending)).toBeNull();
    const short = asksToForward({ partner: PAYEE, revealTimeout: 5n });
    expect(judge(pending, short)).toBe('too_many_locks');
  });

  it('is full for short locks as well when longer ones need the same blocks', () => {
    const pending = known(...forwarded(ROOM, from(STRANGER)));
    expect(judge(pending, asksToForward({ revealTimeout: 5n }))).toBe('too_many_locks');
  });

  it('counts a payment to this node with the time that is left for it', () => {
    const pending = known(...forwarded(SHORT, from(STRANGER, 5n)));
    expect(judge(pending, brings())).toBeNull();
    expect(judge(pending, brings(10n, { revealTimeout: 5n }))).toBe('too_many_locks');
  });

  it('counts neither transfers that were not passed on nor those that are paid', () => {
    const waiting = copies(ROOM + 1, mediator());
    expect(judge(known(...waiting))).toBeNull();
    const paid = forwarded(ROOM);
    const pending = known(...paid);
    for (const [id] of paid) pending.forget(id);
    expect(pending.byTimeout()).toEqual([]);
    expect(pending.gas()).toBe(known().gas());
  });

  it('is left in part only to what means little: dust, and tokens that are no money here', () => {
    const rich = openChannel({ deposit: 100_000n });
    const half = Math.floor(ROOM / 4) / 2;
    const pending = known([CHANNEL, rich], ...forwarded(Math.ceil(half)));
    expect(judge(pending, asksToForward({ amountIn: 62n }))).toBe('too_many_locks');
    expect(judge(pending, brings(62n))).toBeNull();
    expect(judge(pending, asksToForward({ amountIn: 63n }))).toBeNull();
    expect(judge(pending, brings(63n))).toBeNull();
    const channel = 'channel:of:stranger:0';
    const worthless: [string, Living] = [channel, given(10n ** 9n, STRANGER)];
    const filled = known(worthless, ...forwarded(Math.floor(ROOM / 4), { token: STRANGER }));
    const asked = { partner: STRANGER, channel, amountIn: 10n ** 9n };
    expect(judge(filled, asksToForward(asked))).toBe('too_many_locks');
    expect(judge(filled, asksToForward())).toBeNull();
  });

  it('has none for a channel that is not there', () => {
    const asked = asksToForward({ channel: 'channel:gone:1' });
    expect(judge(known(), asked)).toBe('channel_not_open');
  });

  it.each([
    ['nothing', [], 5n, 50],
    ['as many with a longer timeout as there is room', [[9n, 90]], 5n, 0],
    ['as many with a longer timeout as leave some', [[9n, 70]], 5n, 20],
    ['many with a shorter timeout', [[5n, 50]], 9n, 40],
    [
      'many of each',
      [
        [9n, 20],
        [5n, 30],
        [7n, 10],
      ],
      5n,
      20,
    ],
    ['so many as is too many', [[5n, 60]], 5n, -10],
  ] as const)('that is left besides %s', (_, pending, timeout, left) => {
    expect(roomLeft(pending, timeout, (blocks) => 10 * Number(blocks))).toBe(left);
  });
});
