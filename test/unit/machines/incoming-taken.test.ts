/** What becomes of each balance-proof message of a partner, and the words for each that is refused. */
import { describe, expect, it } from 'vitest';
import { take } from '../../../machines/channel/incoming.ts';
import type { WrongMessage } from '../../../machines/effects.ts';
import type { RefundTransferReceived } from '../../../machines/events/messages.ts';
import type { Stamped } from '../../../machines/events/stamps.ts';
import {
  addLock,
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

type Told = Incoming | Stamped<RefundTransferReceived>;

const { ours, theirs } = withPartnersLock();
const fresh = openChannel();
const transfer = transferIn(received(partnersChannel({}).tell(partnersLock())));
const second = transferIn(received(theirs.tell(partnersLock({ n: 2 }))));
const late = EXPIRATION + CONFIRMATIONS;
const expired = at(late, received(theirs.tell(expireLock())));

function transferIn(event: Incoming): Extract<Incoming, { type: 'msg.lockedTransfer' }> {
  if (event.type !== 'msg.lockedTransfer') throw new Error('no transfer');
  return event;
}
/** The event with other fields in its message. */
function altered<E extends Told>(event: E, fields: Partial<E['message']>): E {
  return { ...event, message: { ...event.message, ...fields } };
}
const withLock = (parts: Partial<typeof transfer.message.lock>) =>
  altered(transfer, { lock: { ...transfer.message.lock, ...parts } });

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
    expect(take(context, wrong(2n))).toEqual({ kind: 'refused', reason });
    expect(take(context, { ...wrong(3n), sender: STRANGER }).kind).toBe('refused');
  });

  it('that is applied says what the partner’s side is then', () => {
    expect(take(context, second)).toEqual({
      kind: 'applied',
      end: theirs.tell(partnersLock({ n: 2 })).snapshot.context.ownEnd,
      lock: second.message.lock,
    });
  });

  it('has the same outcome however often it is looked at', () => {
    expect(take(context, second)).toEqual(take(context, second));
  });
});

describe('a refused message', () => {
  const sent = { paymentId: 1n, target: STRANGER };
  const gaveAway = fresh.tell(addLock({ target: STRANGER }));
  const refund = (parts: Partial<Stamped<RefundTransferReceived>> = {}, target = STRANGER) => {
    const lock = partnersLock({ target, paymentId: 1n });
    const { message } = transferIn(received(partnersChannel({}).tell(lock)));
    const { fees: _, secret: __, ...from } = transfer;
    const given = { ...message, type: 'RefundTransfer' } as const;
    return { ...from, type: 'msg.refundTransfer', message: given, sent, ...parts } as const;
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

  const refused: Record<WrongMessage, [PlayedChannel, Told]> = {
    'signed by a stranger': [fresh, { ...transfer, sender: STRANGER }],
    'for another token network': [fresh, altered(transfer, { tokenNetwork: TOKEN })],
    'amounts or locksroot do not follow': [fresh, altered(transfer, { lockedAmount: 9n })],
    'for another recipient or token': [fresh, altered(transfer, { token: NETWORK })],
    'lock without an amount': [fresh, withLock({ amount: 0n })],
    'too many locks': [full(), altered(withLock({ secrethash: hashOf(161) }), { nonce: 161n })],
    'secrethash is pending': [ours, altered(transfer, { nonce: 2n })],
    'more than the partner has': [fresh, withLock({ amount: 101n })],
    'gives back what was not sent': [gaveAway, refund({ sent: null })],
    'gives back something else': [gaveAway, refund({ sent: { ...sent, paymentId: 2n } })],
    'given back by the target': [
      fresh.tell(addLock()),
      refund({ sent: { ...sent, target: PARTNER } }, PARTNER),
    ],
    'no lock for this secret': [ours, received(withPartnersLock({ n: 2 }).theirs.tell(unlock(2)))],
    'no such lock': [ours, altered(expired, { secrethash: hashOf(2) })],
    'for another recipient': [ours, altered(expired, { recipient: STRANGER })],
    'the secret was registered in time': [ours.tell(secretRegistered()), expired],
    'not expired yet': [ours, at(late - 1n, expired)],
  };

  it.each(Object.entries(refused))(
    'changes nothing, and is told: %s',
    (reason, [channel, event]) => {
      const after = channel.tell(event);
      expect(after.effects).toEqual([{ type: 'report.refused', reason }]);
      expect(after.snapshot.context).toBe(channel.snapshot.context);
      expect(after.snapshot.value).toEqual(channel.snapshot.value);
    },
  );
});
