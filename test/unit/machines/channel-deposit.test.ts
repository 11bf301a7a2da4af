import { describe, expect, it } from 'vitest';
import { AT_REST, openChannel, type PlayedChannel } from '../../support/channel-makers.ts';
import {
  at,
  CHANNEL,
  closed,
  deposited,
  NOW,
  OWN,
  PARTNER,
  TOKEN,
  txDone,
  txFailed,
  withdrawn,
} from '../../support/makers.ts';
import { command, NETWORK_ACTOR } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';
import { withConsent, withdrawRequest } from '../../support/withdraw-makers.ts';

const context = ({ snapshot }: PlayedChannel) => snapshot.context;
const { close, deposit, setRevealTimeout } = command;

describe('a deposit', () => {
  const waiting = openChannel().tell(deposit(150n));
  const { key } = effectOf(waiting, 'tx.deposit');
  const answer = {
    type: 'reply.ok',
    requestId: 'deposit',
    value: { kind: 'channel', channel: CHANNEL },
  };

  it('is a transaction for what is missing to the new total', () => {
    expect(effectOf(waiting, 'tx.deposit')).toMatchObject({
      from: CHANNEL,
      token: TOKEN,
      totalDeposit: 150n,
      added: 50n,
      deadlineBlock: null,
    });
    expect(waiting.snapshot.value).toEqual({ opened: { deposit: 'depositing', withdraw: 'idle' } });
  });

  it('counts when its log is confirmed, not when it is asked for or mined', () => {
    expect(context(waiting).ownEnd.deposit).toBe(100n);
    expect(context(waiting.tell(txDone(key))).ownEnd.deposit).toBe(100n);
    expect(context(waiting.tell(deposited(OWN, 150n))).ownEnd.deposit).toBe(150n);
  });

  it('is answered when its transaction has ended', () => {
    const done = waiting.tell(deposited(OWN, 150n)).tell(txDone(key));
    expect(done.effects).toEqual([answer]);
    expect(done.snapshot.value).toEqual(AT_REST);
    const failed = waiting.tell(txFailed(key, 'insufficient_gas'));
    expect(failed.effects).toEqual([
      { type: 'reply.error', requestId: 'deposit', code: 'insufficient_gas', detail: 'why' },
    ]);
    expect(failed.snapshot.value).toEqual(AT_REST);
  });

  it('does not end with another transaction', () => {
    expect(waiting.tell(txDone('another')).effects).toEqual([]);
    expect(context(waiting.tell(txFailed('another'))).deposit).not.toBeNull();
  });

  it('gets a job of its own each time', () => {
    const again = waiting.tell(txFailed(key)).tell(deposit(150n));
    expect(effectOf(again, 'tx.deposit').key).not.toBe(key);
    expect(again.tell(txDone(key)).effects).toEqual([]);
  });

  it('never gets the job of an earlier one, whatever came between them', () => {
    const failedClose = (channel: PlayedChannel) => {
      const closing = channel.tell(close());
      return closing.tell(txFailed(effectOf(closing, 'tx.close').key));
    };
    const failed = openChannel().tell(deposit(150n)).tell(txFailed(key));
    const again = failedClose(failed).tell(deposit(150n));
    expect(effectOf(again, 'tx.deposit').key).not.toBe(key);
    expect(context(again).jobs).toBe(3);
  });

  it('is answered at once when the total is there already', () => {
    expect(openChannel().tell(deposit(100n)).effects).toEqual([answer]);
  });

  it('is answered while the close is on its way', () => {
    const closing = waiting.tell(close());
    expect(closing.tell(txDone(key)).effects).toEqual([answer]);
  });

  it('is refused to its caller when the channel closes first', () => {
    expect(waiting.tell(closed(PARTNER)).effects).toContainEqual({
      type: 'reply.error',
      requestId: 'deposit',
      code: 'channel_not_open',
      detail: 'It was closed.',
    });
  });

  it.each<[string, PlayedChannel, ReturnType<typeof deposit>, string]>([
    ['a lower total', openChannel(), deposit(99n), 'total_not_higher'],
    [
      'above the limit of a participant',
      openChannel(),
      deposit(151n, { participantLimit: 150n }),
      'above_limit',
    ],
    [
      'above the room of the network',
      openChannel(),
      deposit(151n, { networkRoom: 50n }),
      'above_limit',
    ],
    [
      'above the own tokens',
      openChannel(),
      deposit(151n, { ownTokens: 50n }),
      'insufficient_balance',
    ],
    ['while one is on its way', waiting, deposit(160n, {}, 'r9'), 'busy'],
  ])('is refused: %s', (_, channel, command, code) => {
    const refused = channel.tell(command);
    expect(refused.effects).toMatchObject([
      { type: 'reply.error', requestId: command.requestId, code },
    ]);
    expect(context(refused)).toEqual(context(channel));
  });

  it('may reach each limit exactly', () => {
    const limits = { participantLimit: 150n, networkRoom: 50n, ownTokens: 50n };
    expect(effectOf(openChannel().tell(deposit(150n, limits)), 'tx.deposit').added).toBe(50n);
  });
});

describe('a confirmed deposit', () => {
  it('counts for the side that it was made for, whoever made it', () => {
    const { ownEnd, partnerEnd } = context(openChannel().tell(deposited(PARTNER, 130n)));
    expect([ownEnd.deposit, partnerEnd.deposit]).toEqual([100n, 130n]);
  });

  it('never lowers what is there', () => {
    const channel = openChannel().tell(deposited(OWN, 90n), deposited(PARTNER, 90n));
    expect(context(channel).ownEnd.deposit).toBe(100n);
    expect(context(channel).partnerEnd.deposit).toBe(100n);
  });

  it('counts in a closed channel too', () => {
    const channel = openChannel().tell(closed(PARTNER)).tell(deposited(OWN, 130n));
    expect(context(channel).ownEnd.deposit).toBe(130n);
  });

  it('of the partner is offered to the token network while the channel is open, and not later', () => {
    const channel = openChannel();
    const offers = (state: PlayedChannel) => effectsOf(state, 'notify').map(({ to }) => to);
    expect(offers(channel.tell(deposited(PARTNER, 130n)))).toEqual([NETWORK_ACTOR]);
    expect(offers(channel.tell(deposited(OWN, 130n)))).toEqual([]);
    const shut = channel.tell(closed(PARTNER)).tell(deposited(PARTNER, 130n));
    expect(shut.effects).toEqual([]);
    expect(context(shut).partnerEnd.deposit).toBe(130n);
  });
});

describe('a confirmed withdrawal', () => {
  it('counts for the side that made it', () => {
    const { ours } = withConsent();
    const agreed = ours.tell(withdrawRequest({ totalWithdraw: 7n }));
    const channel = agreed.tell(withdrawn(OWN, 30n), withdrawn(PARTNER, 7n));
    expect(context(channel).ownEnd.withdrawn).toBe(30n);
    expect(context(channel).partnerEnd.withdrawn).toBe(7n);
  });
});

describe('the reveal timeout', () => {
  it.each([10n, 20n])('may be set to %d blocks', (timeout) => {
    const set = openChannel().tell(setRevealTimeout(timeout));
    expect(context(set).revealTimeout).toBe(timeout);
    expect(set.effects).toMatchObject([{ type: 'reply.ok', requestId: 'timeout' }]);
  });

  it.each([9n, 21n])('may not be set to %d blocks', (timeout) => {
    const refused = openChannel().tell(setRevealTimeout(timeout));
    expect(context(refused).revealTimeout).toBe(10n);
    expect(refused.effects).toMatchObject([
      { type: 'reply.error', requestId: 'timeout', code: 'invalid_timeout' },
    ]);
  });

  it('may be set while a deposit is on its way', () => {
    const set = openChannel()
      .tell(deposit(150n))
      .tell(at(NOW + 1n, setRevealTimeout(11n)));
    expect(context(set).revealTimeout).toBe(11n);
  });
});
