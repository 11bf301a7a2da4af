import { describe, expect, it } from 'vitest';
import { GAS_PER_BLOCK, gasOfSecrets } from '../../../src/chain/secret-batches.ts';
import { cleanBooksRule, gasRule, roomFor, roomRule } from '../../../src/node/chain/lock-rules.ts';
import { createPendingLocks, type PendingLocks } from '../../../src/node/chain/pending-locks.ts';
import { type StoredState, stateFrom } from '../../../src/node/runtime/kinds.ts';
import { createLockGate } from '../../../src/node/runtime/lock-gate.ts';
import type { Delivery } from '../../../src/node/runtime/turn.ts';
import type { Address } from '../../../src/protocol/hex.ts';
import {
  addLock,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import { factOf } from '../../support/fact.ts';
import {
  blockReached,
  CHANNEL,
  EXPIRATION,
  hashOf,
  PARTNER,
  REVEAL_TIMEOUT,
  STRANGER,
  secretRevealed,
  txDone,
} from '../../support/makers.ts';
import {
  forMediator,
  forwardLock,
  mediator,
  PAYEE_CHANNEL,
  payerSide,
} from '../../support/mediation-makers.ts';
import { lockEnded, revealSecret, target } from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';

const CONFIRMATIONS = 1n;
const DANGER = EXPIRATION - REVEAL_TIMEOUT;
type Living = { snapshot: Pick<StoredState, 'value' | 'context'> };

const note = (pending: PendingLocks, id: string, { snapshot }: Living) =>
  pending.note(id, stateFrom(id, snapshot));

/** What the rules know after these actors were noted. */
function known(...actors: [string, Living][]) {
  const pending = createPendingLocks();
  for (const [id, actor] of [[CHANNEL, openChannel()] as const, ...actors])
    note(pending, id, actor);
  return pending;
}

/** So many transfers that were passed on, all alike but for their ids. */
function forwarded(count: number, parts: Parameters<typeof mediator>[0] = {}) {
  const one = mediator(parts).tell(forMediator.forwarded());
  return copies(count, one);
}
const copies = (count: number, one: Living) =>
  Array.from({ length: count }, (_, n): [string, Living] => [`mediator:${hashOf(n + 10)}`, one]);

const asksToForward = (partner: Address = PARTNER, amountIn = 10n, channel = CHANNEL): Delivery => {
  const { nowBlock: _, ...event } = forwardLock({
    amountIn,
    payer: payerSide({ channel, partner }),
  });
  return { to: PAYEE_CHANNEL, event };
};
const brings = (): Delivery => {
  const { nowBlock: _, ...event } = received(partnersChannel({}).tell(partnersLock()));
  return { to: CHANNEL, event };
};
const refusalOf = (rule: ReturnType<typeof roomRule>, delivery: Delivery) =>
  factOf(createLockGate([rule])(delivery), 'refusal');

describe('a payer that made this node turn to the chain', () => {
  const revealed = mediator().tell(forMediator.forwarded(), revealSecret());
  const registering = revealed.tell(blockReached(DANGER));
  const done = registering.tell(txDone(effectOf(registering, 'tx.registerSecret').key));
  const id = `mediator:${hashOf(1)}`;
  const judged = (actor: Living, partner: Address = PARTNER) =>
    refusalOf(cleanBooksRule({ pending: known([id, actor]) }), asksToForward(partner));

  it('gets nothing passed on while its lock is unpaid, unlike other payers', () => {
    expect(judged(revealed)).toBeUndefined();
    expect(judged(registering)).toBe('no_route');
    expect(judged(done)).toBe('no_route');
    expect(judged(done, STRANGER)).toBeUndefined();
  });

  it('is as good as before when it has paid', () => {
    expect(judged(done.tell(lockEnded.unlocked()))).toBeUndefined();
    const pending = known([id, done]);
    pending.forget(id);
    expect(refusalOf(cleanBooksRule({ pending }), asksToForward())).toBeUndefined();
  });

  it('is not to blame when somebody else brought the secret on chain', () => {
    expect(judged(revealed.tell(secretRevealed(DANGER)))).toBeUndefined();
  });

  it('may still pay this node itself', () => {
    const pending = known([id, done]);
    expect(refusalOf(cleanBooksRule({ pending }), brings())).toBeUndefined();
  });

  it('is refused in the same way when this node was the target', () => {
    const forced = target().tell(revealSecret(), blockReached(DANGER));
    const pending = known([`target:${hashOf(1)}`, forced]);
    expect(refusalOf(cleanBooksRule({ pending }), asksToForward())).toBe('no_route');
  });
});

describe('the money for gas', () => {
  const PRICE = 10n ** 9n;
  const shortages: bigint[] = [];
  const judge = (spare: bigint | null, delivery = asksToForward(), pending = known()) =>
    refusalOf(
      gasRule({
        pending,
        onShort: (wanted) => shortages.push(wanted),
        watch: { money: () => (spare === null ? null : { spare, price: PRICE }) },
      }),
      delivery,
    );
  /** Close, update, settle, the unlocks of both sides with a lock each, and a registration. */
  const GAS = 130_000n + 110_000n + 180_000n + 2n * 100_000n + 2n * 5_000n + 60_000n;
  const WANTED = 3n * GAS * PRICE;

  it('has to suffice for one more lock at three times its price', () => {
    expect(judge(WANTED)).toBeUndefined();
    expect(judge(WANTED - 1n)).toBe('insufficient_gas');
    expect(shortages).toEqual([WANTED]);
  });

  it('has to suffice for a lock that pays this node, but for no own payment', () => {
    expect(judge(WANTED - 1n, brings())).toBe('insufficient_gas');
    expect(judge(WANTED, brings())).toBeUndefined();
    expect(judge(0n, { to: CHANNEL, event: addLock() })).toBe(undefined);
  });

  it('is needed for each lock that may have to be registered', () => {
    const pending = known(...forwarded(3));
    const wanted = WANTED + 3n * 3n * 60_000n * PRICE;
    expect(judge(wanted, asksToForward(), pending)).toBeUndefined();
    expect(judge(wanted - 1n, asksToForward(), pending)).toBe('insufficient_gas');
  });

  describe('when strangers open channels with this node', () => {
    const opened = (held: bigint) => openChannel({ deposit: held });
    const strangers = (count: number, held: bigint) =>
      Array.from({ length: count }, (_, n): [string, Living] => [
        `channel:of:stranger:${n}`,
        opened(held),
      ]);

    it('suffices as before when their channels hold nothing, or only dust', () => {
      const rich = (...more: [string, Living][]) => known([CHANNEL, opened(100_000n)], ...more);
      expect(judge(WANTED, asksToForward(), rich(...strangers(50, 0n)))).toBeUndefined();
      expect(judge(WANTED, asksToForward(), rich(...strangers(50, 62n)))).toBeUndefined();
      expect(judge(WANTED, asksToForward(), rich(...strangers(1, 63n)))).toBe('insufficient_gas');
    });

    it('is still reported with their channels included', () => {
      expect(known(...strangers(1, 0n)).gas()).toBeGreaterThan(known().gas());
      expect(known(...strangers(1, 0n)).gasAtStake()).toBe(known().gasAtStake());
    });
  });

  it('refuses while it is unknown', () => {
    expect(judge(null)).toBe('chain_unavailable');
  });
});

describe('the room for registrations', () => {
  const ROOM = roomFor(REVEAL_TIMEOUT, CONFIRMATIONS);
  const SHARE = Math.floor(ROOM / 4);
  const rule = (pending: ReturnType<typeof known>) =>
    roomRule({ pending, confirmations: CONFIRMATIONS });

  it('is what the blocks of the shortest margin take at the gas that is counted on', () => {
    const blocks = REVEAL_TIMEOUT - CONFIRMATIONS - 3n;
    expect(gasOfSecrets(ROOM)).toBeLessThanOrEqual(blocks * GAS_PER_BLOCK);
    expect(gasOfSecrets(ROOM + 10)).toBeGreaterThan(0.9 * Number(blocks * GAS_PER_BLOCK));
    expect(roomFor(CONFIRMATIONS + 3n, CONFIRMATIONS)).toBe(0);
  });

  it('is given to one partner in part only', () => {
    const full = known(...forwarded(SHARE));
    expect(refusalOf(rule(known(...forwarded(SHARE - 1))), asksToForward())).toBeUndefined();
    expect(refusalOf(rule(full), asksToForward())).toBe('too_many_locks');
    expect(refusalOf(rule(full), brings())).toBe('too_many_locks');
    expect(refusalOf(rule(full), asksToForward(STRANGER))).toBeUndefined();
  });

  it('shrinks when a lock is pending whose margin is shorter', () => {
    const payer = payerSide({ partner: STRANGER, revealTimeout: 5n });
    const pending = known(...forwarded(54, { payer }));
    expect(roomFor(5n, CONFIRMATIONS)).toBe(214);
    expect(refusalOf(rule(pending), asksToForward(STRANGER))).toBe('too_many_locks');
    expect(refusalOf(rule(pending), asksToForward())).toBeUndefined();
  });

  it('counts neither transfers that were not passed on nor those that are paid', () => {
    const waiting = copies(SHARE + 1, mediator());
    expect(refusalOf(rule(known(...waiting)), asksToForward())).toBeUndefined();
    const paid = forwarded(SHARE);
    const pending = known(...paid);
    for (const [id] of paid) pending.forget(id);
    expect(pending.all()).toEqual({ count: 0, dust: 0 });
    expect(pending.gas()).toBe(known().gas());
  });

  it('leaves dust a part of what a partner has, but takes any amount for this node', () => {
    const rich = openChannel({ deposit: 100_000n });
    const dust = forwarded(Math.floor(SHARE / 4));
    const pending = known([CHANNEL, rich], ...dust);
    expect(pending.of(PARTNER).dust).toBe(dust.length);
    expect(refusalOf(rule(pending), asksToForward(PARTNER, 62n))).toBe('too_many_locks');
    expect(refusalOf(rule(pending), asksToForward(PARTNER, 63n))).toBeUndefined();
    expect(refusalOf(rule(pending), asksToForward(STRANGER, 62n))).toBeUndefined();
    expect(refusalOf(rule(pending), brings())).toBeUndefined();
  });

  it('has none for a channel that is not there', () => {
    const asked = asksToForward(PARTNER, 10n, 'channel:gone:1');
    expect(refusalOf(rule(known()), asked)).toBe('channel_not_open');
  });
});

describe('what is pending in all channels', () => {
  it('comes back to nothing when everything has ended', () => {
    const { ours } = withPartnersLock();
    const pending = createPendingLocks();
    const empty = pending.gas();
    note(pending, CHANNEL, ours);
    note(pending, `target:${hashOf(1)}`, target());
    expect(pending.all().count).toBe(1);
    expect(pending.gas()).toBeGreaterThan(empty);
    note(pending, `target:${hashOf(1)}`, target().tell(lockEnded.unlocked()));
    pending.forget(CHANNEL);
    expect([pending.all().count, pending.gas(), pending.waiting()]).toEqual([0, empty, []]);
  });

  it('knows the mediators that wait for somebody to take their transfer', () => {
    const pending = known([`mediator:${hashOf(1)}`, mediator()]);
    expect(pending.waiting()).toEqual([`mediator:${hashOf(1)}`]);
    const on = mediator().tell(forMediator.forwarded());
    note(pending, `mediator:${hashOf(1)}`, on);
    expect(pending.waiting()).toEqual([]);
  });
});
