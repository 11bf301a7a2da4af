/** Many changes of a channel in one batch: how they are signed, and how the partner takes them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChannelEvent } from '../../../machines/channel/context.ts';
import type { Stamped } from '../../../machines/events/stamps.ts';
import { balanceHash } from '../../../src/protocol/channel/balance-proof.ts';
import { proofAmounts } from '../../../src/protocol/channel/channel-end.ts';
import { locksroot, NO_LOCKS_ROOT } from '../../../src/protocol/channel/lock.ts';
import { MAX_CHANGES } from '../../../src/protocol/messages/changes.ts';
import type { Update } from '../../../src/protocol/messages/update.ts';
import {
  addLock,
  expireLock,
  type Incoming,
  inOneBatch,
  openChannel,
  type PlayedChannel,
  partnersChannel,
  partnersLock,
  receivedAll,
  SIGN,
  sync,
  unlock,
} from '../../support/channel-makers.ts';
import {
  at,
  blockReached,
  CHANNEL,
  CONFIRMATIONS,
  closed,
  EXPIRATION,
  hashOf,
  OWN,
  PARTNER,
  STRANGER,
  settled,
  withdrawn,
} from '../../support/makers.ts';
import { forwardLock, PAYEE } from '../../support/mediation-makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectsOf } from '../../support/played.ts';
import { withdrawRequest } from '../../support/withdraw-makers.ts';

const context = ({ snapshot }: PlayedChannel) => snapshot.context;
const rich = { deposit: 10_000n, partnerDeposit: 10_000n };
const locks = (count: number, from = 1) =>
  Array.from({ length: count }, (_, n) => addLock({ n: n + from, amount: 1n }));
const updatesOf = (channel: PlayedChannel): Update[] =>
  effectsOf(channel, 'send.message').flatMap(({ message }) =>
    message.type === 'Update' ? [{ ...message, messageId: 7n }] : [],
  );
const typesOf = (channel: PlayedChannel) => channel.effects.map(({ type }) => type);

describe('the changes of one batch', () => {
  const open = inOneBatch(openChannel());

  it('count at once, and ask for one signature', () => {
    const channel = open.tell(addLock(), addLock({ n: 2 }), unlock());
    expect(context(channel).ownEnd).toMatchObject({ transferred: 10n, locked: 10n, nonce: 0n });
    expect(typesOf(channel)).toEqual(['sign', 'notify', 'notify']);
    const refused = channel.tell(addLock({ n: 3, amount: 81n }));
    expect(effectsOf(refused, 'notify')[0]?.event.type).toBe('actor.lockRefused');
    expect(context(refused).unsigned).toEqual(context(channel).unsigned);
  });

  it('are one Update with one nonce and one row, in their order', () => {
    const before = inOneBatch(openChannel().tell(addLock(), addLock({ n: 2 })));
    const made = before.tell(unlock(), addLock({ n: 3 }), expireLock(2));
    const signed = made.tell(SIGN);
    expect(typesOf(signed)).toEqual(['record.proof', 'send.message']);
    const [update] = updatesOf(signed);
    expect(update?.changes).toMatchObject([
      { type: 'unlock', paymentId: 1n },
      { type: 'lock', lock: { secrethash: hashOf(3) } },
      { type: 'expired', secrethash: hashOf(2), recipient: PARTNER },
    ]);
    const { ownEnd } = context(signed);
    expect(update).toMatchObject({ ...proofAmounts(ownEnd), nonce: 3n, transferredAmount: 10n });
    expect(update?.locksroot).toBe(locksroot(ownEnd.locks));
    expect(effectsOf(signed, 'record.proof')).toMatchObject([
      {
        ...proofAmounts(ownEnd),
        balanceHash: balanceHash(proofAmounts(ownEnd)),
        changes: [
          { kind: 'pay', secrethash: hashOf(1) },
          { kind: 'add', secrethash: hashOf(3) },
          { kind: 'expire', secrethash: hashOf(2) },
        ],
      },
    ]);
    expect(context(signed).unsigned).toBeNull();
  });

  it('are signed once', () => {
    const signed = open.tell(addLock()).tell(SIGN);
    expect(signed.tell(SIGN).effects).toEqual([]);
    expect(context(signed.tell(SIGN))).toBe(context(signed));
  });

  it('are several Updates when there are more than one may have, each with a nonce of its own', () => {
    const many = inOneBatch(openChannel(rich)).tell(...locks(MAX_CHANGES * 2 + 3));
    const signed = many.tell(SIGN);
    const updates = updatesOf(signed);
    expect(updates.map(({ nonce, changes }) => [nonce, changes.length])).toEqual([
      [1n, MAX_CHANGES],
      [2n, MAX_CHANGES],
      [3n, 3],
    ]);
    expect(updates.map(({ lockedAmount }) => lockedAmount)).toEqual([32n, 64n, 67n]);
    expect(effectsOf(signed, 'record.proof').map(({ nonce }) => nonce)).toEqual([1n, 2n, 3n]);
    expect(effectsOf(signed, 'send.message').map(({ key }) => key)).toEqual([
      `${CHANNEL}:1`,
      `${CHANNEL}:2`,
      `${CHANNEL}:3`,
    ]);
  });

  it('are two Updates when a lock begins and ends among them', () => {
    const signed = open.tell(addLock(), addLock({ n: 2 }), unlock(), addLock({ n: 3 })).tell(SIGN);
    expect(updatesOf(signed).map(({ changes }) => changes.map(({ type }) => type))).toEqual([
      ['lock', 'lock'],
      ['unlock', 'lock'],
    ]);
    expect(updatesOf(signed)[0]).toMatchObject({ transferredAmount: 0n, lockedAmount: 20n });
  });

  it('are known by whose transfers they pass on, and what each takes', () => {
    const payer = { ...forwardLock().payer, partner: PAYEE };
    const passed = open.tell(
      addLock({ n: 5 }),
      forwardLock(),
      forwardLock({ secrethash: hashOf(2), payer }),
    );
    const [effect] = effectsOf(passed.tell(SIGN), 'send.message');
    expect(effect?.givers?.map(({ giver }) => giver)).toEqual([PARTNER, PAYEE]);
    for (const { bytes } of effect?.givers ?? []) expect(bytes).toBeGreaterThan(300);
  });

  it('leave deposits alone that come in between', () => {
    const made = open.tell(addLock());
    const more = made.tell(withdrawn(OWN, 0n)).tell(SIGN);
    expect(context(more).ownEnd).toMatchObject({ deposit: 100n, locked: 10n, nonce: 1n });
  });
});

describe('what is not signed is signed first, in the same turn', () => {
  const made = inOneBatch(openChannel()).tell(addLock());

  it.each<[string, Stamped<ChannelEvent>, string[]]>([
    ['when the channel is closed by this node', command.close(), ['tx.close']],
    ['when it is closed on chain', closed(PARTNER), ['done.queue', 'notify', 'notify']],
    ['when a withdrawal is asked for', command.withdraw(20n), ['send.message']],
    ['when one of the partner is agreed to', withdrawRequest(), ['send.consent']],
    ['when it is settled at once', settled(), []],
    ['when the database is an old copy', sync({ acceptedNonce: 5n }), ['record.alert']],
    ['when it was accepted as one', { type: 'actor.oldCopy', nowBlock: 100n }, ['record.alert']],
    ['when a withdrawal is on chain that nobody knows', withdrawn(PARTNER, 5n), ['record.alert']],
  ])('%s', (_, event, rest) => {
    const after = made.tell(event);
    expect(context(after).unsigned).toBeNull();
    expect(typesOf(after).slice(0, 2)).toEqual(['record.proof', 'send.message']);
    expect(typesOf(after).slice(2, 2 + rest.length)).toEqual(rest);
    expect(updatesOf(after)[0]?.nonce).toBe(1n);
  });

  it('so that the messages of a channel have their nonces in order', () => {
    const asked = made
      .tell(command.withdraw(20n))
      .tell(addLock({ n: 2 }))
      .tell(SIGN);
    const nonces = effectsOf(made.tell(command.withdraw(20n)), 'send.message');
    expect(nonces.map(({ message }) => 'nonce' in message && message.nonce)).toEqual([1n, 2n]);
    expect(updatesOf(asked)[0]?.nonce).toBe(3n);
  });

  it('when a withdrawal lapses', () => {
    const asking = inOneBatch(openChannel().tell(command.withdraw(20n)));
    const lapsed = asking.tell(addLock()).tell(blockReached(10_000n));
    expect(updatesOf(lapsed)[0]?.nonce).toBe(2n);
    expect(context(lapsed)).toMatchObject({
      unsigned: null,
      withdraw: null,
      ownEnd: { nonce: 3n },
    });
  });

  it('and still while the close is on its way', () => {
    const closing = inOneBatch(openChannel().tell(addLock(), command.close()));
    const paid = closing.tell(unlock());
    expect(typesOf(paid)).toEqual(['sign']);
    expect(updatesOf(paid.tell(SIGN))[0]?.changes).toMatchObject([{ type: 'unlock' }]);
  });
});

describe('an Update of many changes', () => {
  const theirs = partnersChannel(rich).tell(partnersLock(), partnersLock({ n: 2 }));
  const ours = openChannel(rich).tell(...receivedAll(theirs));
  const late = EXPIRATION + CONFIRMATIONS;
  const next = inOneBatch(theirs)
    .tell(unlock(), partnersLock({ n: 3, target: STRANGER }), expireLock(2), partnersLock({ n: 4 }))
    .tell(SIGN);
  const event = at(late, onlyOf(next));

  it('is applied as a whole: one proof, one acknowledgement, consequences in order', () => {
    const after = ours.tell(event);
    expect(context(after).partnerEnd).toEqual(context(next).ownEnd);
    expect(context(after).partnerProof?.nonce).toBe(3n);
    const told = after.effects.map((effect) =>
      'id' in effect ? effect.id : 'to' in effect ? effect.to : effect.type,
    );
    expect(told.filter((one) => !one.startsWith('mediator:'))).toEqual([
      'record.proof',
      PARTNER,
      `target:${hashOf(1)}`,
      `keeper:${hashOf(1)}:partner:${CHANNEL}`,
      `keeper:${hashOf(3)}:partner:${CHANNEL}`,
      `target:${hashOf(2)}`,
      `keeper:${hashOf(2)}:partner:${CHANNEL}`,
      'judge.lock',
    ]);
  });

  it.each(event.message.changes.map((_, place) => place))(
    'changes nothing when its change %d is wrong',
    (place) => {
      const wrong = spoilt(event, place);
      const after = ours.tell(wrong);
      expect(after.effects).toMatchObject([{ type: 'report.refused', change: place + 1 }]);
      expect(context(after)).toBe(context(ours));
    },
  );

  it('is refused in another order, when that is no order for its locks', () => {
    const changes = event.message.changes.toReversed();
    const wrong = {
      ...event,
      message: { ...event.message, changes },
      facts: event.facts.toReversed(),
    };
    expect(ours.tell(wrong).effects).toMatchObject([{ type: 'report.refused', change: null }]);
    const early = partnersChannel(rich);
    const both = inOneBatch(early)
      .tell(partnersLock({ n: 7 }), unlock(7))
      .tell(SIGN);
    const [lock, paid] = updatesOf(both).flatMap(({ changes: [change] }) => change ?? []);
    if (lock === undefined || paid === undefined) throw new Error('no two Updates');
    const swapped = onlyOf(early.tell(partnersLock({ n: 7 })));
    const message = { ...swapped.message, changes: [paid, lock] };
    const facts = [{ type: 'unlock', secrethash: hashOf(7) } as const, ...swapped.facts];
    expect(openChannel(rich).tell({ ...swapped, message, facts }).effects).toMatchObject([
      { type: 'report.refused', reason: 'no lock for this secret', change: 1 },
    ]);
  });

  it('is refused without changes, whatever it says', () => {
    const empty = { ...event, message: { ...event.message, changes: [] }, facts: [] };
    expect(ours.tell(empty).effects).toMatchObject([{ type: 'report.refused', change: null }]);
  });

  it('is acknowledged again when it comes again', () => {
    expect(typesOf(ours.tell(event).tell(event))).toEqual(['send.processed']);
  });

  it('may fill the 160th place, and not one more on its way', () => {
    const full = partnersChannel(rich).tell(...partnersLocks(159));
    const taken = openChannel(rich).tell(...receivedAll(full));
    const swap = inOneBatch(full).tell(
      unlock(1),
      partnersLock({ n: 300 }),
      partnersLock({ n: 301 }),
    );
    const good = onlyOf(swap.tell(SIGN));
    expect(context(taken.tell(good)).partnerEnd.locks).toHaveLength(160);
    const [paid, ...added] = good.message.changes;
    const [facts, ...others] = good.facts;
    if (paid === undefined || facts === undefined) throw new Error('no change');
    const wrong = {
      ...good,
      message: { ...good.message, changes: [...added, paid] },
      facts: [...others, facts],
    };
    expect(taken.tell(wrong).effects).toMatchObject([{ reason: 'too many locks', change: 2 }]);
  });
});

const partnersLocks = (count: number) =>
  Array.from({ length: count }, (_, n) => partnersLock({ n: n + 1, amount: 1n }));

/** The only Update of these effects, as the partner gets it. */
function onlyOf(channel: PlayedChannel): Incoming {
  const [first, second] = receivedAll(channel);
  if (first === undefined || second !== undefined) throw new Error('not one Update');
  return first;
}

/** The same Update when one of its changes names another lock. */
function spoilt(event: Incoming, place: number): Incoming {
  const changes = event.message.changes.map((change, at) => {
    if (at !== place) return change;
    if ('lock' in change) return { ...change, lock: { ...change.lock, amount: 0n } };
    return change.type === 'expired' ? { ...change, secrethash: hashOf(77) } : change;
  });
  const facts = event.facts.map((one, at) =>
    at === place && one.type === 'unlock' ? { ...one, secrethash: hashOf(77) } : one,
  );
  return { ...event, message: { ...event.message, changes }, facts };
}

type Act = { kind: 'lock' | 'unlock' | 'expire' | 'sign'; pick: number; amount: bigint };
const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom('lock', 'lock', 'lock', 'unlock', 'expire', 'sign'),
  pick: fc.nat(50),
  amount: fc.bigInt(1n, 200n),
});

it('both sides hold the same after each signature, however changes are gathered', () => {
  const late = EXPIRATION + CONFIRMATIONS;
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      let theirs = inOneBatch(partnersChannel({}));
      let ours = openChannel();
      let count = 0;
      const sign = () => {
        theirs = theirs.tell(SIGN);
        const { effects } = theirs;
        for (const event of receivedAll(theirs)) ours = ours.tell(at(late, event));
        expect(context(ours).partnerEnd).toEqual(context(theirs).ownEnd);
        const roots = effects.flatMap((effect) =>
          effect.type === 'record.proof' ? effect.locksroot : [],
        );
        if (context(theirs).ownEnd.locks.length === 0 && roots.length > 0)
          expect(roots.at(-1)).toBe(NO_LOCKS_ROOT);
      };
      for (const { kind, pick, amount } of acts) {
        const { locks: pending } = context(theirs).ownEnd;
        const lock = pending[pick % Math.max(1, pending.length)];
        if (kind === 'sign') sign();
        else if (kind === 'lock') theirs = theirs.tell(partnersLock({ n: ++count, amount }));
        else if (lock !== undefined) {
          const n = Array.from({ length: count }, (_, at) => at + 1).find(
            (one) => hashOf(one) === lock.secrethash,
          );
          theirs = theirs.tell(kind === 'unlock' ? unlock(n) : expireLock(n));
        }
      }
      sign();
    }),
    { numRuns: 200 },
  );
});
