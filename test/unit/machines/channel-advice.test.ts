/** What a caller of a channel is told about a command that was refused, or that failed later. */
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

describe('the answer to a deposit that is refused', () => {
  it('says what stands against it', () => {
    const refused = openChannel().tell(command.deposit(50n));
    expect(effectOf(refused, 'reply.error').detail).toMatch(/total_deposit is the new total/);
  });
});

describe('the answer to a reveal timeout that is refused', () => {
  it('says which ones the channel allows, when this one does not fit', () => {
    const refused = openChannel().tell(command.setRevealTimeout(21n));
    expect(effectOf(refused, 'reply.error')).toMatchObject({
      code: 'invalid_timeout',
      detail: expect.stringMatching(/reveal_timeout must be from \d+ to 20/),
    });
  });

  it('says nothing of them when the channel is closed', () => {
    const closing = openChannel().tell(command.close(), command.setRevealTimeout(12n));
    expect(effectOf(closing, 'reply.error')).toMatchObject({
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
