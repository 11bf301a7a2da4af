/** What a channel takes for passing a transfer on, by the balances of both channels. */
import { describe, expect, it } from 'vitest';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  FREE,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
} from '../../support/channel-makers.ts';
import { OWN, PARTNER, STRANGER } from '../../support/makers.ts';
import { forwardLock, PAYEE, payerSide } from '../../support/mediation-makers.ts';
import { effectOf } from '../../support/played.ts';

describe('an imbalance fee', () => {
  it('is taken for both channels, each by its own capacity', () => {
    const fees = { ...FREE, imbalance: 50_000n };
    const payer = payerSide({ channel: 'x', balance: 150n, receivable: 50n });
    // At its ends a channel of 200 costs 10, in the middle nothing: each side leans 10 more than before.
    const { ownEnd } = openChannel().tell(forwardLock({ fees, payer })).snapshot.context;
    expect(ownEnd.locked).toBe(8n);
  });

  it.each([
    ['capped, counts no pending lock as arrived', true, 0n],
    ['not capped, counts all other pending locks as arrived', false, 30n],
  ])('that is %s', (_, capFees, arrived) => {
    const fees = { ...FREE, capFees };
    const metadata = routesMetadata([PARTNER, OWN, PAYEE, STRANGER]);
    const passed = { target: STRANGER, metadata };
    const first = partnersChannel({}).tell(partnersLock({ n: 2, amount: 30n, ...passed }));
    const second = first.tell(partnersLock(passed));
    const channel = openChannel().tell(received(first, { fees }));
    const { payer } = effectOf(channel.tell(received(second, { fees })), 'spawn.mediator').input;
    expect(payer).toMatchObject({ balance: 100n + arrived, receivable: 100n - arrived });
  });
});
