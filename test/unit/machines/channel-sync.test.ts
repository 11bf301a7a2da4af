import { describe, expect, it } from 'vitest';
import { ZERO_HASH } from '../../../src/basics/hex.ts';
import { EMPTY_SIGNATURE } from '../../../src/protocol/channel/balance-proof.ts';
import {
  AT_REST,
  addLock,
  openChannel,
  type PlayedChannel,
  received,
  sync,
  unlock,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  CHANNEL,
  closed,
  deposited,
  hashOf,
  NOW,
  OWN,
  PARTNER,
  SIGNATURE,
  STRANGER,
  txFailed,
  withdrawn,
} from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';
import { withConsent, withdrawRequest } from '../../support/withdraw-makers.ts';

const resynchronise = { type: 'actor.resynchronise', nowBlock: NOW } as const;
const close = command.close();
const context = ({ snapshot }: PlayedChannel) => snapshot.context;
/** Two steps of this side are signed. */
const channel = openChannel().tell(addLock(), addLock({ n: 2 }));

describe('when the partner is back', () => {
  it('this side says what it signed and proves what it holds of the partner', () => {
    const { ours } = withPartnersLock();
    const { partnerProof } = context(ours);
    expect(ours.tell(addLock({ n: 3 }), resynchronise).effects.at(-1)).toMatchObject({
      type: 'send.sync',
      to: PARTNER,
      message: {
        type: 'Sync',
        signedNonce: 1n,
        acceptedNonce: 1n,
        balanceHash: partnerProof?.balanceHash,
        additionalHash: partnerProof?.additionalHash,
        proofSignature: SIGNATURE,
        answer: true,
      },
    });
  });

  it('this side has nothing to prove while the partner has signed nothing', () => {
    expect(effectOf(openChannel().tell(resynchronise), 'send.sync').message).toMatchObject({
      signedNonce: 0n,
      acceptedNonce: 0n,
      balanceHash: ZERO_HASH,
      additionalHash: ZERO_HASH,
      proofSignature: EMPTY_SIGNATURE,
    });
  });

  it('nothing is said of a channel that is being closed', () => {
    expect(channel.tell(close).tell(resynchronise).effects).toEqual([]);
  });
});

describe('the partner’s Sync', () => {
  it('ends the repetition of messages that the partner holds, and repeats the others at once', () => {
    const after = channel.tell(sync({ acceptedNonce: 1n }));
    expect(after.effects).toEqual([
      { type: 'done.queue', queue: CHANNEL, upToNonce: 1n },
      { type: 'resend', queue: CHANNEL },
    ]);
    expect(context(after)).toEqual(context(channel));
  });

  it('is answered when it asks for an answer, which asks for none in turn', () => {
    const asked = channel.tell(sync({ acceptedNonce: 1n, answer: true }));
    expect(effectOf(asked, 'send.sync').message.answer).toBe(false);
  });

  it('may hold nothing, which needs no proof', () => {
    const after = channel.tell(sync({ acceptedNonce: 0n, isProven: false }));
    expect(after.effects.map(({ type }) => type)).toEqual(['done.queue', 'resend']);
  });

  it.each([
    ['claims to hold something without a proof', sync({ acceptedNonce: 1n, isProven: false })],
    ['claims to be ahead without a proof', sync({ acceptedNonce: 3n, isProven: false })],
    ['comes from a stranger', sync({ acceptedNonce: 3n, sender: STRANGER })],
  ])('is ignored when it %s', (_, event) => {
    const after = channel.tell(event);
    expect(after.effects).toEqual([]);
    expect(after.snapshot.value).toEqual(AT_REST);
  });
});

describe('a database that is older than what the partner holds', () => {
  const stale = channel.tell(sync({ acceptedNonce: 3n, answer: true }));

  it('is found by the proof of a nonce that was never signed here', () => {
    expect(stale.snapshot.value).toBe('stale');
    expect(stale.effects).toMatchObject([
      { type: 'record.alert', alert: 'stale_database', channel: CHANNEL },
    ]);
  });

  it('is told with the nonce that the partner proved and the last one of the database', () => {
    const { detail } = effectOf(stale, 'record.alert');
    expect(detail).toMatch(/proved nonce 3\b.* ends at 2\b/);
  });

  it('keeps a withdraw that is on its way, for which nobody waits any more', () => {
    expect(context(stale).withdraw).toBeNull();
    const { asking } = withConsent();
    const old = asking.tell(sync({ acceptedNonce: 9n }));
    expect(context(old).withdraw).toEqual({ ...context(asking).withdraw, waiting: [] });
    // The chain has executed it: the partner need not be asked for its consent any more.
    expect(old.tell(withdrawn(OWN, 30n)).effects).toEqual([
      { type: 'done.message', key: `${CHANNEL}:1` },
    ]);
  });

  it('is not found by the newest nonce itself', () => {
    expect(channel.tell(sync({ acceptedNonce: 2n })).snapshot.value).toEqual(AT_REST);
  });

  it('signs nothing more and takes nothing more', () => {
    const { theirs } = withPartnersLock();
    const refused = stale.tell(addLock({ n: 3 }));
    expect(effectOf(refused, 'notify').event).toMatchObject({
      type: 'actor.lockRefused',
      code: 'channel_not_open',
    });
    const transfer = received(theirs);
    for (const event of [transfer, sync({ acceptedNonce: 1n }), resynchronise])
      expect(stale.tell(event).effects).toEqual([]);
    for (const event of [
      { type: 'actor.unlock', secrethash: hashOf(1), secret: hashOf(7), paymentId: 1n } as const,
      { type: 'actor.expireLock', secrethash: hashOf(1) } as const,
    ])
      expect(context(stale.tell({ ...event, nowBlock: NOW }))).toEqual(context(stale));
  });

  it('gets no deposit in answer to one of the partner', () => {
    const deposit = stale.tell(deposited(PARTNER, 130n));
    expect(deposit.effects).toEqual([]);
    expect(context(deposit).partnerEnd.deposit).toBe(130n);
  });

  it('can still be closed', () => {
    expect(stale.tell(close).snapshot.value).toEqual({ closing: 'stale' });
  });

  it('signs nothing after a close that failed', () => {
    const closing = stale.tell(close);
    const { key } = effectOf(closing, 'tx.close');
    const again = closing.tell(txFailed(key));
    expect(again.effects).toMatchObject([{ type: 'reply.error', requestId: 'close' }]);
    expect(effectOf(again.tell(addLock({ n: 3 })), 'notify').event.type).toBe('actor.lockRefused');
    expect(again.snapshot.value).toBe('stale');
  });
});

describe('a withdrawal on chain that the database knows no consent to', () => {
  const oldCopy = { type: 'actor.oldCopy', nowBlock: NOW } as const;
  const alert = { type: 'record.alert', alert: 'stale_database', channel: CHANNEL };

  it.each([
    ['of the partner', PARTNER],
    ['of this node', OWN],
  ])('%s shows that it is an old copy', (_, participant) => {
    const stale = openChannel().tell(withdrawn(participant, 150n));
    expect(stale.snapshot.value).toBe('stale');
    expect(stale.effects).toMatchObject([alert]);
    expect(effectOf(stale, 'record.alert').detail).toMatch(/withdrawal is on chain/);
    const { ownEnd, partnerEnd } = context(stale);
    expect(ownEnd.withdrawn + partnerEnd.withdrawn).toBe(150n);
    // What goes on in the channel must not end the node.
    expect(stale.tell(addLock({ n: 3 })).effects).toMatchObject([
      { event: { type: 'actor.lockRefused', code: 'channel_not_open' } },
    ]);
  });

  it('shows it in a channel that is about to close, too, which signs nothing more', () => {
    const closing = channel.tell(close).tell(withdrawn(PARTNER, 150n));
    expect(closing.snapshot.value).toEqual({ closing: 'stale' });
    expect(closing.tell(unlock()).effects).toEqual([]);
  });

  it('refuses the caller who waits for a withdrawal of this node', () => {
    const { asking } = withConsent();
    expect(asking.tell(withdrawn(PARTNER, 150n)).effects).toMatchObject([
      alert,
      { type: 'reply.error', code: 'channel_not_open' },
    ]);
  });

  it('refuses that caller once, whatever becomes of the channel', () => {
    const { asking } = withConsent();
    const stale = asking.tell(withdrawn(PARTNER, 150n));
    for (const after of [stale.tell(closed(PARTNER)), stale.tell(withdrawn(OWN, 30n))])
      expect(after.effects.filter(({ type }) => type.startsWith('reply'))).toEqual([]);
  });

  it('is not one that the chain has told of before', () => {
    const { ours } = withConsent();
    const done = ours.tell(withdrawn(OWN, 30n));
    expect(done.tell(withdrawn(OWN, 30n)).snapshot.value).toEqual(AT_REST);
  });

  it('is not one that was agreed to', () => {
    const agreed = openChannel().tell(withdrawRequest());
    expect(agreed.tell(withdrawn(PARTNER, 30n)).snapshot.value).toEqual(AT_REST);
    const { ours } = withConsent();
    expect(ours.tell(withdrawn(OWN, 30n)).snapshot.value).toEqual(AT_REST);
  });

  it('is one of another total than the one that was agreed to', () => {
    const agreed = openChannel().tell(withdrawRequest());
    expect(agreed.tell(withdrawn(PARTNER, 31n)).snapshot.value).toBe('stale');
  });

  it('stops the channel, as does the word of the operator that the database is old', () => {
    const stale = openChannel().tell(oldCopy);
    expect(stale.snapshot.value).toBe('stale');
    expect(stale.effects).toMatchObject([alert]);
    expect(effectOf(stale, 'record.alert').detail).toMatch(/accepted old copy/);
  });
});
