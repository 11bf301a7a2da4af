/** What becomes of each balance-proof message of a partner, and the words for each that is refused. */
import { describe, expect, it } from 'vitest';
import { take } from '../../../machines/channel/incoming.ts';
import type { WrongMessage } from '../../../machines/effects.ts';
import type { Lock } from '../../../src/protocol/channel/lock.ts';
import type { Update } from '../../../src/protocol/messages/update.ts';
import {
  type AnyChange,
  addLock,
  asRefund,
  changeAltered,
  changeIn,
  expireLock,
  type Incoming,
  openChannel,
  type PlayedChannel,
  partnersChannel,
  partnersLock,
  received,
  secretRegistered,
  unlock,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  at,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  NETWORK,
  PARTNER,
  STRANGER,
  TOKEN,
} from '../../support/makers.ts';

const { ours, theirs } = withPartnersLock();
const fresh = openChannel();
const transfer = received(partnersChannel({}).tell(partnersLock()));
const second = received(theirs.tell(partnersLock({ n: 2 })));
const late = EXPIRATION + CONFIRMATIONS;
const expired = at(late, received(theirs.tell(expireLock())));

/** The event with other fields in its message, and in its change. */
function altered(event: Incoming, fields: Partial<Update>, change: AnyChange = {}): Incoming {
  const changed = changeAltered(event, change);
  return { ...changed, message: { ...changed.message, ...fields } };
}
const withLock = (parts: Partial<Lock>, fields: Partial<Update> = {}) =>
  altered(transfer, fields, { lock: { ...changeIn(transfer.message, 'lock').lock, ...parts } });

describe('a balance-proof message of the partner', () => {
  const { context } = ours.snapshot;

  it.each([
    [0n, 'repeated'],
    [1n, 'repeated'],
    [2n, 'applied'],
    [7n, 'applied'],
  ])('that follows nonce 1 with nonce %d is %s', (nonce, kind) => {
    expect(take(context, altered(second, { nonce })).kind).toBe(kind);
  });

  it('that does not follow is ahead after a gap, and refused without one', () => {
    const wrong = (nonce: bigint) => altered(second, { nonce, lockedAmount: 1n });
    expect(take(context, wrong(3n)).kind).toBe('ahead');
    const reason = 'amounts or locksroot do not follow';
    expect(take(context, wrong(2n))).toEqual({ kind: 'refused', reason, place: null });
    expect(take(context, { ...wrong(3n), sender: STRANGER }).kind).toBe('refused');
  });

  it('that is applied says what the partner’s side is then', () => {
    const { ownEnd } = theirs.tell(partnersLock({ n: 2 })).snapshot.context;
    const { lock } = changeIn(second.message, 'lock');
    const step = { change: second.message.changes[0], facts: second.facts[0], lock };
    const end = { ...ownEnd, nonce: 1n };
    expect(take(context, second)).toEqual({
      kind: 'applied',
      end: ownEnd,
      steps: [{ ...step, end }],
    });
  });

  it('has the same outcome however often it is looked at', () => {
    expect(take(context, second)).toEqual(take(context, second));
  });
});

describe('a refused message', () => {
  const sent = { paymentId: 1n, target: STRANGER };
  const gaveAway = fresh.tell(addLock({ target: STRANGER }));
  const refund = (given: Partial<typeof sent> | null = {}, target = STRANGER) => {
    const lock = partnersLock({ target, paymentId: 1n });
    const known = given === null ? null : { ...sent, ...given };
    return asRefund(received(partnersChannel({}).tell(lock)), known);
  };
  /** Its numbers are right: the partner would hold the same after it. */
  const lockAndUnlock = (): Incoming => {
    const added = received(partnersChannel({}).tell(partnersLock()));
    const paid = received(partnersChannel({}).tell(partnersLock()).tell(unlock()));
    const changes = [...added.message.changes, ...paid.message.changes];
    return {
      ...paid,
      message: { ...paid.message, nonce: 1n, changes },
      facts: [...added.facts, ...paid.facts],
    };
  };
  const full = () => {
    let theirs = partnersChannel({ partnerDeposit: 1_000n });
    let ours = openChannel({ partnerDeposit: 1_000n });
    for (let n = 1; n <= 160; n++) {
      theirs = theirs.tell(partnersLock({ n, amount: 1n }));
      ours = ours.tell(received(theirs));
    }
    return ours;
  };

  const refused: Record<WrongMessage, [PlayedChannel, Incoming, number | null]> = {
    'signed by a stranger': [fresh, { ...transfer, sender: STRANGER }, null],
    'for another token network': [fresh, altered(transfer, { tokenNetwork: TOKEN }), null],
    'amounts or locksroot do not follow': [fresh, altered(transfer, { lockedAmount: 9n }), null],
    'for another recipient or token': [fresh, altered(transfer, {}, { token: NETWORK }), 1],
    'lock without an amount': [fresh, withLock({ amount: 0n }), 1],
    'too many locks': [full(), withLock({ secrethash: hashOf(161) }, { nonce: 161n }), 1],
    'secrethash is pending': [ours, altered(transfer, { nonce: 2n }), 1],
    'more than the partner has': [fresh, withLock({ amount: 101n }), 1],
    'gives back what was not sent': [gaveAway, refund(null), 1],
    'gives back something else': [gaveAway, refund({ paymentId: 2n }), 1],
    'given back by the target': [fresh.tell(addLock()), refund({ target: PARTNER }, PARTNER), 1],
    'no lock for this secret': [
      ours,
      received(withPartnersLock({ n: 2 }).theirs.tell(unlock(2))),
      1,
    ],
    'no such lock': [ours, altered(expired, {}, { secrethash: hashOf(2) }), 1],
    'for another recipient': [ours, altered(expired, {}, { recipient: STRANGER }), 1],
    'the secret was registered in time': [ours.tell(secretRegistered()), expired, 1],
    'not expired yet': [ours, at(late - 1n, expired), 1],
    'two changes of one lock': [fresh, lockAndUnlock(), 2],
  };

  it.each(Object.entries(refused))(
    'changes nothing, and is told: %s',
    (reason, [channel, event, change]) => {
      const after = channel.tell(event);
      expect(after.effects).toEqual([{ type: 'report.refused', reason, change }]);
      expect(after.snapshot.context).toBe(channel.snapshot.context);
      expect(after.snapshot.value).toEqual(channel.snapshot.value);
    },
  );
});
