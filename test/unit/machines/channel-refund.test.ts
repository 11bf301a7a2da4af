/** Transfers that a partner gives back by a lock of its own. */
import { describe, expect, it } from 'vitest';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  addLock,
  asRefund,
  type Incoming,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
} from '../../support/channel-makers.ts';
import { CHANNEL, hashOf, OWN, PARTNER, REVEAL_TIMEOUT, STRANGER } from '../../support/makers.ts';
import { PAYEE } from '../../support/mediation-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const ROUTE = routesMetadata([PARTNER, OWN, PAYEE, STRANGER]);

describe('a transfer that is given back', () => {
  const sent = { paymentId: 1n, target: STRANGER };
  const ours = openChannel().tell(addLock({ target: STRANGER }));

  function refund(
    parts: {
      amount?: bigint;
      lockTimeout?: bigint;
      paymentId?: bigint;
      target?: typeof STRANGER;
      sent?: typeof sent | null;
      n?: number;
    } = {},
  ): Incoming {
    const { amount = 10n, paymentId = 1n, target = STRANGER, n = 1, lockTimeout = null } = parts;
    const theirs = partnersChannel({}).tell(
      partnersLock({ n, amount, target, paymentId, lockTimeout, metadata: ROUTE }),
    );
    return asRefund(received(theirs), parts.sent === undefined ? sent : parts.sent);
  }

  it('is held beside our lock, and whoever sent it is told', () => {
    const given = ours.tell(refund());
    expect(given.snapshot.context.partnerEnd.locked).toBe(10n);
    expect(given.snapshot.context.ownEnd.locked).toBe(10n);
    const told = effectsOf(given, 'notify').map(({ to, event }) => [to, event.type]);
    expect(told).toEqual([
      [`initiator:${hashOf(1)}`, 'actor.refunded'],
      [`mediator:${hashOf(1)}`, 'actor.refunded'],
    ]);
    expect(effectsOf(given, 'send.processed')).toHaveLength(1);
    expect(effectOf(given, 'spawn.keeper').input).toMatchObject({
      channel: CHANNEL,
      side: 'partner',
      secrethash: hashOf(1),
      isUnexplained: false,
    });
  });

  it('is acknowledged again when it comes again', () => {
    const again = ours.tell(refund()).tell(refund());
    expect(again.effects).toMatchObject([{ type: 'send.processed' }]);
  });

  it.each<[string, Parameters<typeof refund>[0]]>([
    ['of another amount', { amount: 9n }],
    ['of another expiration', { lockTimeout: 2n * REVEAL_TIMEOUT - 1n }],
    ['of another payment', { paymentId: 2n }],
    ['for another target', { target: PAYEE }],
    ['of a lock that we did not sign', { n: 2 }],
    ['that nobody here has sent', { sent: null }],
  ])('%s is not taken', (_, parts) => {
    const given = ours.tell(refund(parts));
    expect(given.effects).toMatchObject([{ type: 'report.refused' }]);
    expect(given.snapshot.context).toEqual(ours.snapshot.context);
  });

  it('by the target is not taken', () => {
    const toPartner = openChannel().tell(addLock());
    const event = refund({ target: PARTNER, sent: { paymentId: 1n, target: PARTNER } });
    expect(toPartner.tell(event).effects).toMatchObject([{ type: 'report.refused' }]);
  });
});
