import { describe, expect, it } from 'vitest';
import { distributable } from '../../../src/protocol/channel/channel-end.ts';
import {
  AT_REST,
  openChannel,
  type PlayedChannel,
  withEnds,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  at,
  CHANNEL,
  CONFIRMATIONS,
  closed,
  EXPIRATION,
  OWN,
  PARTNER,
  STRANGER,
  settled,
  withdrawn,
} from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';
import {
  type WithdrawEvent,
  withdrawConfirmation,
  withdrawExpired,
  withdrawRequest,
} from '../../support/withdraw-makers.ts';

const context = ({ snapshot }: PlayedChannel) => snapshot.context;
const PENDING = { totalWithdraw: 30n, expiration: EXPIRATION };
const OVER = EXPIRATION + CONFIRMATIONS;
/** From this block on the partner does not expect the withdraw on chain any more, either. */
const FORGOTTEN = EXPIRATION + 2n * CONFIRMATIONS;
const asked = withdrawRequest();
const agreed = openChannel().tell(asked);
const partnersFree = (channel: PlayedChannel) => {
  const { ownEnd, partnerEnd } = context(channel);
  return distributable(partnerEnd, ownEnd);
};

function expectIgnored(channel: PlayedChannel, event: WithdrawEvent & { nowBlock: bigint }): void {
  const after = channel.tell(event);
  expect(after.effects).toEqual([]);
  expect(after.snapshot.value).toEqual(channel.snapshot.value);
  expect(context(after)).toEqual(context(channel));
}

describe('a request of the partner', () => {
  it('is agreed to under its own identifier, and its amount reserved', () => {
    expect(agreed.effects).toEqual([
      {
        type: 'send.consent',
        to: PARTNER,
        message: {
          type: 'WithdrawConfirmation',
          messageId: 70n,
          chainId: 1n,
          tokenNetwork: context(agreed).tokenNetwork,
          channelId: 1n,
          participant: PARTNER,
          ...PENDING,
          nonce: 1n,
        },
      },
    ]);
    expect(context(agreed)).toMatchObject({
      ownEnd: { nonce: 1n, withdraws: [] },
      partnerEnd: { nonce: 0n, withdrawn: 0n, withdraws: [PENDING] },
    });
    expect(partnersFree(agreed)).toBe(70n);
    expect(agreed.snapshot.value).toEqual(AT_REST);
  });

  it('that comes again gets the same answer, under the identifier that it has now', () => {
    const again = agreed.tell(withdrawRequest({ nonce: 9n, messageId: 77n }));
    const { message, ...first } = effectOf(agreed, 'send.consent');
    expect(again.effects).toEqual([{ ...first, message: { ...message, messageId: 77n } }]);
    expect(context(again)).toEqual(context(agreed));
  });

  it('is taken once, also after its end and with a nonce that would be next', () => {
    const over = agreed.tell(at(OVER, withdrawExpired()));
    const done = agreed.tell(withdrawn(PARTNER, 30n));
    for (const channel of [over, done])
      for (const nonce of [1n, 2n, 3n, 4n]) {
        const after = channel.tell(withdrawRequest({ nonce }));
        expect(effectOf(after, 'send.consent').message.nonce).toBe(1n);
        expect(context(after)).toEqual(context(channel));
      }
  });

  it.each([
    ['of a stranger', withdrawRequest({ sender: STRANGER })],
    ['of our own', withdrawRequest({ sender: OWN })],
    ['for us', withdrawRequest({ participant: OWN })],
    ['for a stranger', withdrawRequest({ participant: STRANGER })],
    ['on another chain', withdrawRequest({ chainId: 2n })],
    ['in another token network', withdrawRequest({ tokenNetwork: STRANGER })],
    ['for another channel', withdrawRequest({ channelId: 2n })],
    ['of nothing', withdrawRequest({ totalWithdraw: 0n })],
    ['of more than it has', withdrawRequest({ totalWithdraw: 101n })],
  ])('%s is ignored', (_, event) => {
    expectIgnored(openChannel(), event);
  });

  it('may ask for all that the partner has outside of its pending locks, and not one unit more', () => {
    const { ours } = withPartnersLock({ amount: 40n });
    expectIgnored(ours, withdrawRequest({ totalWithdraw: 61n }));
    expect(partnersFree(ours.tell(withdrawRequest({ totalWithdraw: 60n })))).toBe(0n);
    const paid = withEnds(openChannel(), { own: { transferred: 50n } });
    expect(partnersFree(paid.tell(withdrawRequest({ totalWithdraw: 150n })))).toBe(0n);
    expectIgnored(paid, withdrawRequest({ totalWithdraw: 151n }));
  });

  it('must ask for more than what was taken out, or agreed to', () => {
    const taken = agreed.tell(withdrawn(PARTNER, 30n));
    for (const channel of [taken, agreed]) {
      for (const totalWithdraw of [29n, 30n])
        expectIgnored(channel, withdrawRequest({ totalWithdraw, expiration: EXPIRATION + 1n }));
      const more = channel.tell(withdrawRequest({ totalWithdraw: 31n }));
      expect(partnersFree(more)).toBe(69n);
    }
  });

  it('may be one of several: the largest counts', () => {
    const second = withdrawRequest({ totalWithdraw: 50n, expiration: EXPIRATION + 2n });
    const both = agreed.tell(second);
    expect(effectOf(both, 'send.consent').message.nonce).toBe(2n);
    expect(partnersFree(both)).toBe(50n);
    expect(partnersFree(both.tell(at(OVER, withdrawExpired())))).toBe(50n);
    const secondOver = withdrawExpired({ totalWithdraw: 50n, expiration: EXPIRATION + 2n });
    expect(partnersFree(both.tell(at(OVER + 2n, secondOver)))).toBe(70n);
    expect(context(both.tell(withdrawn(PARTNER, 50n))).partnerEnd).toMatchObject({
      withdrawn: 50n,
      withdraws: [],
    });
    expect(context(both.tell(withdrawn(PARTNER, 30n))).partnerEnd).toMatchObject({
      withdrawn: 30n,
      withdraws: [{ totalWithdraw: 50n }],
    });
  });

  it('is agreed to when no chain takes it any more, whatever it asks for: it is worth nothing', () => {
    const late = openChannel().tell(at(FORGOTTEN, withdrawRequest({ totalWithdraw: 101n })));
    expect(effectOf(late, 'send.consent').message).toMatchObject({ totalWithdraw: 101n });
    expect(partnersFree(late)).toBe(100n);
    const expired = withdrawExpired({ totalWithdraw: 101n });
    expect(late.tell(expired).effects).toMatchObject([{ type: 'send.processed' }]);
    expectIgnored(openChannel(), at(FORGOTTEN - 1n, withdrawRequest({ totalWithdraw: 101n })));
  });

  it('that ended lately is reserved all the same: a reorganisation may take the chain back', () => {
    const late = openChannel().tell(at(EXPIRATION + 1n, withdrawRequest({ totalWithdraw: 60n })));
    expect(partnersFree(late)).toBe(40n);
    const expired = at(FORGOTTEN, withdrawExpired({ totalWithdraw: 60n }));
    expect(partnersFree(late.tell(expired))).toBe(100n);
  });

  it('is remembered only up to a bound, so that a partner cannot fill the memory', () => {
    let many = openChannel();
    for (let n = 1n; n <= 300n; n++)
      many = many.tell(at(400n, withdrawRequest({ expiration: n, messageId: n })));
    expect(context(many).consents).toHaveLength(64);
    expect(context(many).ownEnd.nonce).toBe(300n);
    expectIgnored(many, at(400n, withdrawRequest({ expiration: 5n })));
    let open = openChannel();
    for (let n = 1n; n <= 30n; n++)
      open = open.tell(withdrawRequest({ totalWithdraw: n, messageId: n }));
    expect(context(open).partnerEnd.withdraws).toHaveLength(16);
  });

  it('is never taken twice, though older ones that ended later are forgotten after it', () => {
    const first = withdrawRequest({ totalWithdraw: 1n, messageId: 1n });
    let many = openChannel().tell(first);
    const ended = (expiration: bigint) => at(400n, withdrawRequest({ expiration }));
    for (let n = 0n; n < 64n; n++) many = many.tell(ended(263n - n));
    expect(context(many).consents).toHaveLength(64);
    const over = withdrawExpired({ totalWithdraw: 1n });
    const later = many.tell(at(OVER, over), ended(300n));
    expect(partnersFree(later)).toBe(100n);
    expect(context(later).consents.map(({ expiration }) => expiration)).not.toContain(EXPIRATION);
    expectIgnored(later, ended(200n));
    expect(effectsOf(later.tell(ended(263n)), 'send.consent')).toHaveLength(1);
  });

  it('is not agreed to unless the channel is open', () => {
    const signed = (channel: PlayedChannel) => effectsOf(channel, 'send.consent');
    for (const channel of [
      openChannel().tell(command.close()),
      openChannel().tell(closed(PARTNER)),
      agreed.tell(command.close()),
    ])
      expect(signed(channel.tell(asked))).toEqual([]);
  });
});

describe('the partner’s word that its withdraw has expired', () => {
  it('counts when it can no longer be on chain, and not before', () => {
    for (const block of [EXPIRATION, OVER - 1n])
      expectIgnored(agreed, at(block, withdrawExpired()));
    const over = agreed.tell(at(OVER, withdrawExpired()));
    expect(over.effects).toEqual([{ type: 'send.processed', to: PARTNER, messageId: 71n }]);
    expect(context(over).partnerEnd).toEqual(context(openChannel()).partnerEnd);
    expect(partnersFree(over)).toBe(100n);
  });

  it('is acknowledged again, and when the chain has the withdraw after all', () => {
    const over = agreed.tell(at(OVER, withdrawExpired()));
    const done = agreed.tell(withdrawn(PARTNER, 30n));
    for (const channel of [over, done]) {
      const again = channel.tell(at(OVER, withdrawExpired({ messageId: 72n })));
      expect(again.effects).toEqual([{ type: 'send.processed', to: PARTNER, messageId: 72n }]);
      expect(context(again)).toEqual(context(channel));
    }
  });

  it.each([
    ['of a stranger', withdrawExpired({ sender: STRANGER })],
    ['of our own', withdrawExpired({ sender: OWN })],
    ['for us', withdrawExpired({ participant: OWN })],
    ['with another total', withdrawExpired({ totalWithdraw: 29n })],
    ['with an earlier expiration', withdrawExpired({ expiration: EXPIRATION - 1n })],
    ['on another chain', withdrawExpired({ chainId: 2n })],
  ])('%s is ignored', (_, event) => {
    expectIgnored(agreed, at(OVER, event));
  });

  it('waits for the request that it belongs to', () => {
    expectIgnored(openChannel(), at(OVER, withdrawExpired()));
  });
});

describe('two consents that together are all that the channel holds', () => {
  it('may settle it without anybody closing it', () => {
    const both = openChannel()
      .tell(command.withdraw(100n))
      .tell(withdrawConfirmation({ totalWithdraw: 100n }))
      .tell(withdrawRequest({ totalWithdraw: 100n }));
    expect(partnersFree(both)).toBe(0n);
    const paid = both.tell(withdrawn(OWN, 100n), withdrawn(PARTNER, 100n));
    expect(effectsOf(paid, 'reply.ok')).toHaveLength(1);
    const gone = paid.tell(settled({ ownAmount: 100n, partnerAmount: 100n }));
    expect(gone.snapshot.status).toBe('done');
    expect(gone.effects).toMatchObject([
      { type: 'done.queue', queue: CHANNEL, upToNonce: null },
      { type: 'notify', event: { type: 'actor.channelSettled', left: { totalWithdraw: 100n } } },
    ]);
  });

  it('answer callers who wait for a close or a deposit', () => {
    const waiting = openChannel().tell(command.deposit(150n)).tell(command.close());
    const gone = waiting.tell(settled());
    expect(gone.effects.slice(1, 3)).toMatchObject([
      { type: 'reply.ok', requestId: 'close' },
      { type: 'reply.error', requestId: 'deposit', code: 'channel_not_open' },
    ]);
  });
});
