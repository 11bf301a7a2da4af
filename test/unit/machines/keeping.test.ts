/** The keeper that a transfer gets instead of a payment actor, because its secrethash is in use. */
import { describe, expect, it } from 'vitest';
import { heldLock, keeperId, keeperInstead } from '../../../machines/keeper/keeping.ts';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  changeIn,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  OWN,
  PARTNER,
  STRANGER,
} from '../../support/makers.ts';
import { PAYEE } from '../../support/mediation-makers.ts';
import { initiator, orderOf } from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';

/** The keeper of the lock, which costs no gas, with what is known of its transfer. */
const held = (transfer: { role: 'target' | 'mediator'; target: typeof OWN }) => {
  const id = keeperId(CHANNEL, 'partner', hashOf(1));
  return {
    type: 'spawn.keeper',
    id,
    input: {
      id,
      channel: CHANNEL,
      side: 'partner',
      secrethash: hashOf(1),
      amount: 10n,
      expiration: EXPIRATION,
      confirmations: CONFIRMATIONS,
      isUnexplained: false,
      isPublic: false,
      transfer: { ...transfer, initiator: PARTNER, paymentId: 1n },
    },
  };
};

describe('a lock of the partner whose secrethash is in use', () => {
  it('is held for a payment to this node', () => {
    const spawn = effectOf(withPartnersLock().ours, 'judge.lock').taken;
    expect(keeperInstead(spawn)).toEqual(held({ role: 'target', target: OWN }));
  });

  it('is held for a transfer that would be passed on', () => {
    const metadata = routesMetadata([PARTNER, OWN, PAYEE, STRANGER]);
    const sent = partnersChannel({}).tell(partnersLock({ target: STRANGER, metadata }));
    const spawn = effectOf(openChannel().tell(received(sent)), 'spawn.mediator');
    expect(keeperInstead(spawn)).toEqual(held({ role: 'mediator', target: STRANGER }));
  });
});

it('each lock of each side of a channel has a keeper of its own', () => {
  const ids = [CHANNEL, `${CHANNEL}2`].flatMap((channel) =>
    [1, 2].flatMap((n) => [
      keeperId(channel, 'own', hashOf(n)),
      keeperId(channel, 'partner', hashOf(n)),
    ]),
  );
  expect(new Set(ids).size).toBe(8);
});

it.each([
  ['to this node is known as its target’s', OWN, 'target'],
  ['to somebody else is known as a mediator’s', STRANGER, 'mediator'],
] as const)('a held transfer %s, and costs no gas', (_, target, role) => {
  const sent = partnersChannel({}).tell(partnersLock({ target }));
  const transfer = changeIn(effectOf(sent, 'send.message').message, 'lock');
  const { context } = openChannel().snapshot;
  expect(heldLock(context, transfer)).toEqual(held({ role, target }));
});

it('a payment of this node is never replaced by a keeper: its lock is not made yet', () => {
  const { id, own, confirmations } = initiator().snapshot.context;
  const input = { id, own, confirmations, order: orderOf() };
  expect(keeperInstead({ type: 'spawn.initiator', id, input })).toBeNull();
});
