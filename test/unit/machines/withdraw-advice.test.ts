/** What a caller is told about a withdraw that was refused, or that ended without being executed. */
import { describe, expect, it } from 'vitest';
import { openChannel } from '../../support/channel-makers.ts';
import { blockReached, CONFIRMATIONS, EXPIRATION } from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';
import { withConsent } from '../../support/withdraw-makers.ts';

const { withdraw } = command;
const { asking, ours } = withConsent();
const lapsed = blockReached(EXPIRATION + 2n * CONFIRMATIONS);

describe('the answer to a withdraw that is refused', () => {
  it.each([
    ['a total below the present one', openChannel().tell(withdraw(-1n)), /cannot be lower/],
    ['more than there is', openChannel().tell(withdraw(101n)), /above the balance/],
    [
      'a partner that is away',
      openChannel().tell(withdraw(30n, { isPartnerThere: false })),
      /consent of the partner/,
    ],
    ['another one on its way', asking.tell(withdraw(31n)), /Another withdrawal/],
    [
      'no money for gas',
      openChannel().tell(withdraw(30n, { canPayGas: false })),
      /pay for the transaction/,
    ],
  ])('says what stands against it: %s', (_, refused, advice) => {
    expect(effectOf(refused, 'reply.error').detail).toMatch(advice);
  });

  it('needs no words where the code says all', () => {
    const closing = openChannel().tell(command.close());
    expect(effectOf(closing.tell(withdraw(30n)), 'reply.error')).toMatchObject({
      code: 'channel_not_open',
      detail: '',
    });
  });
});

describe('the answer to a withdraw that ran out', () => {
  it.each([
    ['the partner did not agree', asking, /partner did not agree/],
    ['the transaction was not mined', ours, /not mined in time/],
  ])('says why: %s', (_, channel, reason) => {
    expect(effectOf(channel.tell(lapsed), 'reply.error').detail).toMatch(reason);
  });
});
