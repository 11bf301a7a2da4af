import { describe, expect, it } from 'vitest';
import { balance, distributable } from '../../../src/protocol/channel/channel-end.ts';
import {
  AT_REST,
  addLock,
  openChannel,
  type PlayedChannel,
  partnersChannel,
  received,
  sync,
  withEnds,
} from '../../support/channel-makers.ts';
import {
  at,
  blockReached,
  CHANNEL,
  CONFIRMATIONS,
  closed,
  EXPIRATION,
  NOW,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  SIGNATURE,
  STRANGER,
  settled,
  txDone,
  txFailed,
  withdrawn,
} from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';
import {
  withConsent,
  withdrawConfirmation,
  withdrawRequest,
} from '../../support/withdraw-makers.ts';

const context = ({ snapshot }: PlayedChannel) => snapshot.context;
const { withdraw, close } = command;
const ok = (requestId = 'withdraw') => ({
  type: 'reply.ok',
  requestId,
  value: { kind: 'channel', channel: CHANNEL },
});
const refused = (code: string, requestId = 'withdraw') => ({
  type: 'reply.error',
  requestId,
  code,
});
const PENDING = { totalWithdraw: 30n, expiration: EXPIRATION };
const LAPSE = EXPIRATION + 2n * CONFIRMATIONS;
const lapsed = blockReached(LAPSE);
const ASKING = { opened: { deposit: 'idle', withdraw: { pending: 'asking' } } };
const WITHDRAWING = { opened: { deposit: 'idle', withdraw: { pending: 'withdrawing' } } };

describe('a withdraw', () => {
  const asking = openChannel().tell(withdraw(30n));

  it('asks the partner for its consent and reserves the amount', () => {
    expect(asking.effects).toEqual([
      {
        type: 'send.message',
        key: `${CHANNEL}:1`,
        to: PARTNER,
        queue: CHANNEL,
        messageId: 70n,
        message: {
          type: 'WithdrawRequest',
          chainId: 1n,
          tokenNetwork: context(asking).tokenNetwork,
          channelId: 1n,
          participant: OWN,
          ...PENDING,
          nonce: 1n,
          coopSettle: false,
        },
      },
    ]);
    const { ownEnd, partnerEnd, wakeBlock } = context(asking);
    expect(ownEnd).toMatchObject({ withdrawn: 0n, withdraws: [PENDING], nonce: 1n });
    expect([balance(ownEnd, partnerEnd), distributable(ownEnd, partnerEnd)]).toEqual([70n, 70n]);
    expect(balance(partnerEnd, ownEnd)).toBe(100n);
    expect(wakeBlock).toBe(LAPSE);
    expect(asking.snapshot.value).toEqual(ASKING);
  });

  it.each([
    ['the same total needs nothing', withdraw(0n), ok()],
    ['a total below the present one', withdraw(-1n), refused('total_not_higher')],
    ['more than there is', withdraw(101n), refused('above_balance')],
    ['a partner that is away', withdraw(30n, { isPartnerThere: false }), refused('partner_silent')],
    ['no money for gas', withdraw(30n, { canPayGas: false }), refused('insufficient_gas')],
  ])('is answered before anything is signed: %s', (_, event, answer) => {
    const channel = openChannel();
    const after = channel.tell(event);
    expect(after.effects).toMatchObject([answer]);
    expect(context(after)).toEqual(context(channel));
  });

  it('reaches all that is not locked, and not one unit more', () => {
    const locked = openChannel().tell(addLock({ amount: 60n }));
    expect(effectOf(locked.tell(withdraw(40n)), 'send.message').message).toMatchObject({
      nonce: 2n,
      totalWithdraw: 40n,
    });
    expect(locked.tell(withdraw(41n)).effects).toMatchObject([refused('above_balance')]);
  });

  it('reaches what the partner has paid', () => {
    const paid = withEnds(openChannel(), { partner: { transferred: 50n } });
    expect(effectsOf(paid.tell(withdraw(150n)), 'send.message')).toHaveLength(1);
    expect(paid.tell(withdraw(151n)).effects).toMatchObject([refused('above_balance')]);
  });

  it('reserves its amount, so that no lock can promise it again', () => {
    expect(effectOf(asking.tell(addLock({ amount: 70n })), 'send.message').message.type).toBe(
      'Update',
    );
    const refusal = effectOf(asking.tell(addLock({ amount: 71n })), 'notify').event;
    expect(refusal).toMatchObject({ type: 'actor.lockRefused', code: 'insufficient_balance' });
  });

  it('answers a second caller who asks for the same total, and refuses another total as busy', () => {
    const same = asking.tell(withdraw(30n, { requestId: 'second', messageId: 80n }));
    expect(same.effects).toEqual([]);
    expect(same.tell(withdrawn(OWN, 30n)).effects.slice(-2)).toEqual([ok(), ok('second')]);
    for (const total of [0n, 29n, 31n])
      expect(asking.tell(withdraw(total)).effects).toMatchObject([refused('busy')]);
  });

  it('does not hinder a deposit', () => {
    expect(asking.tell(command.deposit(150n)).snapshot.value).toEqual({
      opened: { deposit: 'depositing', withdraw: { pending: 'asking' } },
    });
  });
});

describe('the partner’s consent', () => {
  const { asking, ours, consent } = withConsent();

  it('ends the request and becomes a transaction', () => {
    expect(ours.effects).toEqual([
      { type: 'done.message', key: `${CHANNEL}:1` },
      { type: 'send.processed', to: PARTNER, messageId: 70n },
      {
        type: 'tx.withdraw',
        from: CHANNEL,
        key: `withdraw:${CHANNEL}:1`,
        deadlineBlock: EXPIRATION - 1n,
        tokenNetwork: context(ours).tokenNetwork,
        channelId: 1n,
        partner: PARTNER,
        ...PENDING,
        partnerSignature: SIGNATURE,
      },
    ]);
    expect(ours.snapshot.value).toEqual(WITHDRAWING);
    expect(context(ours).ownEnd).toEqual(context(asking).ownEnd);
  });

  it('leaves the balance proofs of the partner as they were', () => {
    expect(context(ours).partnerEnd).toEqual(context(asking).partnerEnd);
    expect(context(ours).partnerProof).toBeNull();
  });

  it('that comes again is acknowledged again, also when all is over', () => {
    const over = ours.tell(withdrawn(OWN, 30n));
    for (const channel of [ours, over]) {
      const again = channel.tell(consent);
      expect(again.effects).toEqual([{ type: 'send.processed', to: PARTNER, messageId: 70n }]);
      expect(context(again)).toEqual(context(channel));
    }
  });

  it.each([
    ['of a stranger', withdrawConfirmation({ sender: STRANGER })],
    ['of our own', withdrawConfirmation({ sender: OWN })],
    ['to another total', withdrawConfirmation({ totalWithdraw: 31n })],
    ['with another expiration', withdrawConfirmation({ expiration: EXPIRATION + 1n })],
    ['for the partner’s own withdraw', withdrawConfirmation({ participant: PARTNER })],
    ['under another identifier', withdrawConfirmation({ messageId: 71n })],
    ['on another chain', withdrawConfirmation({ chainId: 2n })],
    ['in another token network', withdrawConfirmation({ tokenNetwork: STRANGER })],
  ])('%s counts for nothing', (_, event) => {
    const after = asking.tell(event);
    expect(after.effects).toEqual([]);
    expect(context(after)).toEqual(context(asking));
  });

  it('counts whatever nonce it is brought with', () => {
    const after = asking.tell(withdrawConfirmation({ nonce: 99n }));
    expect(context(after)).toEqual(context(ours));
  });

  it('leads to the transaction as long as there is time for it, and later is only acknowledged', () => {
    const last = EXPIRATION - REVEAL_TIMEOUT;
    expect(effectsOf(asking.tell(at(last, consent)), 'tx.withdraw')).toHaveLength(1);
    const late = asking.tell(at(last + 1n, consent));
    expect(late.effects.map(({ type }) => type)).toEqual(['done.message', 'send.processed']);
    expect(late.snapshot.value).toEqual(ASKING);
    expect(late.tell(lapsed).effects).toMatchObject([
      { type: 'send.message' },
      refused('partner_silent'),
    ]);
  });
});

describe('the end of a withdraw', () => {
  const { asking, ours } = withConsent();
  const { key } = effectOf(ours, 'tx.withdraw');

  it('is its log on chain, not the end of its transaction', () => {
    expect(ours.tell(txDone(key)).effects).toEqual([]);
    const done = ours.tell(withdrawn(OWN, 30n));
    expect(done.effects).toEqual([ok()]);
    expect(done.snapshot.value).toEqual(AT_REST);
    expect(context(done)).toMatchObject({
      ownEnd: { withdrawn: 30n, withdraws: [], nonce: 1n },
      withdraw: null,
      wakeBlock: null,
    });
    expect(done.tell(txDone(key)).effects).toEqual([]);
  });

  it('is a success whoever brought it on chain', () => {
    const failed = ours.tell(txFailed(key));
    expect(failed.effects).toEqual([]);
    expect(failed.tell(withdrawn(OWN, 30n)).effects).toEqual([ok()]);
    const silent = asking.tell(withdrawn(OWN, 30n));
    expect(silent.effects).toEqual([{ type: 'done.message', key: `${CHANNEL}:1` }, ok()]);
    expect(silent.snapshot.value).toEqual(AT_REST);
  });

  it('is not the log of a withdraw of the partner', () => {
    const both = ours.tell(withdrawRequest()).tell(withdrawn(PARTNER, 30n));
    expect(both.effects).toEqual([]);
    expect(both.snapshot.value).toEqual(WITHDRAWING);
  });

  it('lets the next one begin from the new total', () => {
    const done = ours.tell(withdrawn(OWN, 30n));
    expect(done.tell(withdraw(30n)).effects).toEqual([ok()]);
    expect(done.tell(withdraw(29n)).effects).toMatchObject([refused('total_not_higher')]);
    expect(effectOf(done.tell(withdraw(100n)), 'send.message').message).toMatchObject({
      nonce: 2n,
    });
    expect(done.tell(withdraw(101n)).effects).toMatchObject([refused('above_balance')]);
  });

  it('is its expiry, and never before there can be no log any more', () => {
    for (const block of [NOW, EXPIRATION, LAPSE - 1n])
      expect(asking.tell(blockReached(block)).effects).toEqual([]);
    const over = asking.tell(lapsed);
    expect(over.effects).toMatchObject([
      {
        type: 'send.message',
        key: `${CHANNEL}:2`,
        queue: CHANNEL,
        message: { type: 'WithdrawExpired', participant: OWN, ...PENDING, nonce: 2n },
      },
      refused('partner_silent'),
    ]);
    expect(over.snapshot.value).toEqual(AT_REST);
    expect(context(over)).toMatchObject({
      ownEnd: { withdrawn: 0n, withdraws: [], nonce: 2n },
      withdraw: null,
      wakeBlock: null,
    });
    const { ownEnd, partnerEnd } = context(over);
    expect(distributable(ownEnd, partnerEnd)).toBe(100n);
  });

  it('is answered with the reason why the transaction failed', () => {
    const failed = ours.tell(txFailed(key, 'insufficient_gas'));
    expect(failed.tell(lapsed).effects.at(-1)).toMatchObject(refused('insufficient_gas'));
    for (const lost of [ours, ours.tell(txDone(key))])
      expect(lost.tell(lapsed).effects.at(-1)).toMatchObject(refused('transaction_failed'));
  });

  it('still takes the consent that comes after it', () => {
    const late = asking.tell(lapsed).tell(at(LAPSE, withdrawConfirmation()));
    expect(late.effects.map(({ type }) => type)).toEqual(['done.message', 'send.processed']);
    expect(late.snapshot.value).toEqual(AT_REST);
  });

  it('is a refusal when the channel is closed or settled first', () => {
    const answer = refused('channel_not_open');
    const shut = ours.tell(closed(PARTNER));
    expect(effectsOf(shut, 'reply.error')).toMatchObject([answer]);
    expect(context(shut).withdraw).toBeNull();
    expect(shut.tell(lapsed).effects).toEqual([]);
    const gone = ours.tell(settled());
    expect(gone.snapshot.status).toBe('done');
    expect(context(gone).wakeBlock).toBeNull();
    expect(effectsOf(gone, 'reply.error')).toMatchObject([answer]);
  });
});

describe('a withdraw while the channel is being closed', () => {
  const { asking, ours, consent } = withConsent();
  const closing = asking.tell(close());
  const { key } = effectOf(closing, 'tx.close');

  it('signs nothing and takes nothing', () => {
    for (const event of [consent, lapsed, withdraw(30n)])
      expect(effectsOf(closing.tell(event), 'send.message')).toEqual([]);
    expect(closing.tell(consent).effects).toEqual([]);
    expect(closing.tell(withdraw(50n)).effects).toMatchObject([refused('channel_not_open')]);
  });

  it('goes on when the close fails', () => {
    const open = closing.tell(lapsed).tell(txFailed(key));
    expect(open.snapshot.value).toEqual(ASKING);
    expect(context(open).wakeBlock).toBe(LAPSE);
    expect(effectsOf(open.tell(lapsed), 'reply.error')).toMatchObject([refused('partner_silent')]);
    const submitted = ours.tell(close());
    expect(submitted.tell(txFailed(effectOf(submitted, 'tx.close').key)).snapshot.value).toEqual(
      WITHDRAWING,
    );
  });

  it('may be on chain before the close', () => {
    const done = closing.tell(withdrawn(OWN, 30n));
    expect(effectsOf(done, 'reply.ok')).toEqual([ok()]);
    expect(context(done).ownEnd.withdrawn).toBe(30n);
  });
});

describe('a withdraw over a database that proves to be old', () => {
  const { asking } = withConsent();
  const stale = asking.tell(sync({ acceptedNonce: 9n }));

  it('is answered, and its log is still noted', () => {
    expect(effectsOf(stale, 'reply.error')).toMatchObject([refused('channel_not_open')]);
    expect(stale.tell(lapsed).effects).toEqual([]);
    expect(context(stale.tell(withdrawn(OWN, 30n))).ownEnd.withdrawn).toBe(30n);
  });
});

describe('balance proofs around withdraw messages', () => {
  it('are accepted with the nonces that withdraw messages have not used', () => {
    const { theirs, ours } = withConsent();
    const paying = theirs.tell(addLock({ n: 3, initiator: PARTNER, target: OWN }));
    const transfer = received(paying);
    expect(transfer.message.nonce).toBe(2n);
    const paid = ours.tell(transfer);
    expect(context(paid).partnerEnd).toMatchObject({ nonce: 2n, locked: 10n });
    const ourLock = ours.tell(addLock());
    const took = theirs.tell(received(ourLock, { sender: OWN }));
    expect(context(took).partnerEnd).toEqual(context(ourLock).ownEnd);
  });

  it('may overtake the request that was signed before them', () => {
    const asking = openChannel().tell(withdraw(30n));
    const both = asking.tell(addLock({ amount: 70n }));
    const transfer = received(both, { sender: OWN });
    const { message } = effectOf(asking, 'send.message');
    if (message.type !== 'WithdrawRequest') throw new Error(message.type);
    const request = {
      ...({
        type: 'msg.withdrawRequest',
        sender: OWN,
        signature: SIGNATURE,
        nowBlock: NOW,
      } as const),
      message: { ...message, messageId: 70n },
    };
    const inOrder = partnersChannel({}).tell(request, transfer);
    const overtaken = partnersChannel({}).tell(transfer, request);
    expect(context(overtaken)).toEqual(context(inOrder));
    expect(context(inOrder).partnerEnd).toMatchObject({ withdraws: [PENDING], locked: 70n });
  });
});

describe('a channel that closes while withdraws are open', () => {
  it('counts for both sides again what they can no longer take out', () => {
    const open = withConsent().ours.tell(withdrawRequest({ totalWithdraw: 7n }));
    const { ownEnd, partnerEnd } = context(open.tell(closed(PARTNER)));
    expect(balance(ownEnd, partnerEnd)).toBe(100n);
    expect(balance(partnerEnd, ownEnd)).toBe(100n);
  });
});
