import { describe, expect, it } from 'vitest';
import { ZERO_HASH } from '../../../src/basics/hex.ts';
import { proofAmounts } from '../../../src/protocol/channel/channel-end.ts';
import {
  AT_REST,
  addLock,
  openChannel,
  type PlayedChannel,
  received,
  secretRegistered,
  unlock,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  at,
  blockReached,
  CHANNEL,
  closed,
  hashOf,
  NOW,
  OWN,
  PARTNER,
  proofUpdated,
  SETTLE_TIMEOUT,
  settled,
  settledProof,
  txDone,
  txFailed,
} from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const context = ({ snapshot }: PlayedChannel) => snapshot.context;
const close = command.close();
/** The close is mined at NOW. */
const FIRST_SETTLE = NOW + SETTLE_TIMEOUT + 1n;
/** The partner has paid 10: its newest proof has nonce 2. */
function paidByPartner(): PlayedChannel {
  const { ours, theirs } = withPartnersLock();
  return ours.tell(received(theirs.tell(unlock())));
}
const paid = paidByPartner();
const newest = context(paid).partnerProof;
const OLD_HASH = hashOf(77);

describe('a close by this node', () => {
  const closing = paid.tell(close);
  const { key } = effectOf(closing, 'tx.close');

  it('brings the newest proof of the partner', () => {
    expect(effectOf(closing, 'tx.close')).toMatchObject({
      from: CHANNEL,
      channelId: 1n,
      partner: PARTNER,
      proof: newest,
    });
    expect(newest?.nonce).toBe(2n);
  });

  it('brings nothing when the partner has signed nothing', () => {
    expect(effectOf(openChannel().tell(close), 'tx.close').proof).toBeNull();
  });

  it('is answered when the chain confirms it, and no earlier', () => {
    expect(closing.tell(txDone(key)).effects).toEqual([]);
    expect(closing.tell(closed(OWN)).effects).toContainEqual({
      type: 'reply.ok',
      requestId: 'close',
      value: { kind: 'channel', channel: CHANNEL },
    });
  });

  it('is answered when the partner’s close came first', () => {
    const both = closing.tell(closed(PARTNER));
    expect(effectsOf(both, 'reply.ok')).toHaveLength(1);
    expect(both.tell(txFailed(key)).effects).toEqual([]);
    expect(both.tell(txFailed(key)).snapshot.value).toBe('closed');
  });

  it('opens the channel again when its transaction failed', () => {
    const again = closing.tell(txFailed(key, 'insufficient_gas'));
    expect(again.effects).toEqual([
      { type: 'reply.error', requestId: 'close', code: 'insufficient_gas', detail: 'why' },
    ]);
    expect(again.snapshot.value).toEqual(AT_REST);
    expect(effectOf(again.tell(close), 'tx.close').key).not.toBe(key);
  });

  it('is answered once, although the partner closes after it has failed', () => {
    const failed = closing.tell(txFailed(key));
    expect(context(failed).closeRequest).toBeNull();
    expect(effectsOf(failed.tell(closed(PARTNER)), 'reply.ok')).toEqual([]);
  });

  it('is not ended by another transaction', () => {
    expect(closing.tell(txFailed('another')).snapshot.value).toEqual(closing.snapshot.value);
  });

  it('takes no new lock', () => {
    expect(effectOf(closing.tell(addLock({ n: 5 })), 'notify').event).toMatchObject({
      type: 'actor.lockRefused',
      code: 'channel_not_open',
    });
  });

  it('needs no update: the partner’s newest proof stands on chain already', () => {
    const done = closing.tell(
      closed(OWN, { nonce: 2n, balanceHash: newest?.balanceHash ?? ZERO_HASH }),
    );
    expect(effectsOf(done, 'tx.updateProof')).toEqual([]);
    expect(context(done).dispute).toMatchObject({
      ownHash: null,
      partnerHash: newest?.balanceHash,
    });
  });
});

describe('a confirmed close', () => {
  it('empties the queue and tells every payment with a pending lock', () => {
    const busy = withPartnersLock().ours.tell(addLock({ n: 2 }));
    expect(busy.tell(closed(PARTNER)).effects.slice(0, 3)).toEqual([
      { type: 'done.queue', queue: CHANNEL, upToNonce: null },
      {
        type: 'notify',
        to: `initiator:${hashOf(2)}`,
        event: { type: 'actor.channelClosed', channel: CHANNEL },
      },
      {
        type: 'notify',
        to: `target:${hashOf(1)}`,
        event: { type: 'actor.channelClosed', channel: CHANNEL },
      },
    ]);
  });

  it('by the partner is answered with its newest proof, before the settlement', () => {
    const dispute = paid.tell(closed(PARTNER, { nonce: 1n, balanceHash: OLD_HASH }));
    expect(effectOf(dispute, 'tx.updateProof')).toMatchObject({
      from: CHANNEL,
      proof: newest,
      deadlineBlock: FIRST_SETTLE - 1n,
    });
    expect(context(dispute).dispute).toEqual({
      closer: PARTNER,
      closeBlock: NOW,
      ownHash: OLD_HASH,
      partnerHash: null,
    });
  });

  it('by the partner needs no update when the partner has signed nothing', () => {
    expect(effectsOf(openChannel().tell(closed(PARTNER)), 'tx.updateProof')).toEqual([]);
  });

  it('by this node itself needs no update', () => {
    expect(effectsOf(paid.tell(closed(OWN)), 'tx.updateProof')).toEqual([]);
  });

  it('is seen by a channel that has just opened, too', () => {
    expect(openChannel().tell(closed(PARTNER)).snapshot.value).toBe('closed');
  });
});

describe('the update', () => {
  const dispute = paid.tell(closed(PARTNER, { nonce: 1n, balanceHash: OLD_HASH }));
  const { key } = effectOf(dispute, 'tx.updateProof');

  it('is tried again some blocks after its transaction failed', () => {
    const failed = dispute.tell(at(NOW + 3n, txFailed(key)));
    expect(context(failed).wakeBlock).toBe(NOW + 13n);
    const again = failed.tell(blockReached(NOW + 13n));
    expect(effectOf(again, 'tx.updateProof')).toMatchObject({ proof: newest });
    expect(effectOf(again, 'tx.updateProof').key).not.toBe(key);
    expect(context(again).wakeBlock).toBe(FIRST_SETTLE);
  });

  it('is tried again although little time is left', () => {
    const failed = dispute.tell(at(FIRST_SETTLE - 4n, txFailed(key)));
    const { wakeBlock } = context(failed);
    expect(wakeBlock).toBeLessThan(FIRST_SETTLE);
    const again = failed.tell(blockReached(wakeBlock ?? 0n));
    expect(effectsOf(again, 'tx.updateProof')).toHaveLength(1);
  });

  it('is tried again while its transaction can still be mined before a settlement', () => {
    const { confirmations } = context(dispute);
    for (let block = NOW; block + confirmations + 1n < FIRST_SETTLE; block++) {
      const { wakeBlock } = context(dispute.tell(at(block, txFailed(key))));
      // At the earliest in the block after the newest one.
      expect((wakeBlock ?? FIRST_SETTLE) + confirmations + 1n).toBeLessThanOrEqual(FIRST_SETTLE);
    }
  });

  it('is not sent twice when the chain holds the proof already', () => {
    const done = dispute.tell(proofUpdated(PARTNER, 2n, newest?.balanceHash ?? ZERO_HASH));
    expect(context(done).dispute?.partnerHash).toBe(newest?.balanceHash);
    const again = done.tell(at(NOW + 3n, txFailed(key))).tell(blockReached(NOW + 13n));
    expect(effectsOf(again, 'tx.updateProof')).toEqual([]);
  });

  it('of the partner changes which proof of this node is known to be on chain', () => {
    const closedByUs = paid.tell(closed(OWN, { nonce: 2n, balanceHash: hashOf(5) }));
    const updated = closedByUs.tell(proofUpdated(OWN, 3n, hashOf(6)));
    expect(context(updated).dispute).toMatchObject({ ownHash: hashOf(6), partnerHash: hashOf(5) });
  });
});

describe('each transaction of a dispute', () => {
  it('has a higher number than those before it', () => {
    const { ours } = withPartnersLock();
    const { locksroot } = proofAmounts(context(ours).partnerEnd);
    const shut = ours.tell(closed(PARTNER));
    const updating = shut
      .tell(txFailed(effectOf(shut, 'tx.updateProof').key))
      .tell(blockReached(NOW + 10n));
    const settling = updating.tell(blockReached(FIRST_SETTLE));
    const partner = settledProof({ locked: 10n, claimable: 10n, paid: [hashOf(1)] });
    const claiming = settling.tell(
      secretRegistered(),
      settled({ partnerRoot: locksroot, partner }),
    );
    const lives = [ours, shut, updating, settling, claiming];
    expect(lives.map((channel) => context(channel).jobs)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('the settlement', () => {
  const dispute = paid.tell(closed(PARTNER, { nonce: 1n, balanceHash: OLD_HASH }));

  it('is asked for at the first block that the contract allows', () => {
    expect(context(dispute).wakeBlock).toBe(FIRST_SETTLE);
    expect(effectsOf(dispute.tell(blockReached(FIRST_SETTLE - 1n)), 'tx.settle')).toEqual([]);
    for (const block of [FIRST_SETTLE, FIRST_SETTLE + 1n])
      expect(effectsOf(dispute.tell(blockReached(block)), 'tx.settle')).toHaveLength(1);
  });

  it('names the proofs that stand on chain, not the newest known', () => {
    const settling = dispute.tell(blockReached(FIRST_SETTLE));
    expect(effectOf(settling, 'tx.settle')).toMatchObject({
      channel: CHANNEL,
      ownHash: OLD_HASH,
      partnerHash: null,
    });
    const updated = dispute.tell(proofUpdated(PARTNER, 2n, hashOf(6)));
    expect(effectOf(updated.tell(blockReached(FIRST_SETTLE)), 'tx.settle')).toMatchObject({
      ownHash: OLD_HASH,
      partnerHash: hashOf(6),
    });
  });

  it('is tried again after a failure until the chain shows one', () => {
    const settling = dispute.tell(blockReached(FIRST_SETTLE));
    const { key } = effectOf(settling, 'tx.settle');
    const failed = settling.tell(at(FIRST_SETTLE + 2n, txFailed(key)));
    expect(context(failed).wakeBlock).toBe(FIRST_SETTLE + 12n);
    const again = failed.tell(blockReached(FIRST_SETTLE + 12n));
    expect(effectOf(again, 'tx.settle').key).not.toBe(key);
    expect(again.tell(txFailed(key)).snapshot).toEqual(again.snapshot);
  });

  it('that comes with a late update is tried again with it', () => {
    const settling = dispute.tell(blockReached(FIRST_SETTLE));
    const late = settling.tell(proofUpdated(PARTNER, 2n, hashOf(6)));
    const { key } = effectOf(settling, 'tx.settle');
    const failed = late.tell(at(FIRST_SETTLE + 2n, txFailed(key)));
    const again = failed.tell(blockReached(FIRST_SETTLE + 12n));
    expect(effectOf(again, 'tx.settle').partnerHash).toBe(hashOf(6));
  });
});
