/** The blocks at which a payment to this node needs attention. At each of them it may cost a transaction. */
import { describe, expect, it } from 'vitest';
import {
  at,
  blockReached,
  CONFIRMATIONS,
  EXPIRATION,
  NOW,
  REVEAL_TIMEOUT,
  secretRevealed,
  txFailed,
} from '../../support/makers.ts';
import {
  channelClosed,
  OTHER_CHANNEL,
  type PlayedTarget,
  revealSecret,
  target,
} from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';

/** First block at which an off-chain unlock must not be waited for any more. */
const DANGER = EXPIRATION - REVEAL_TIMEOUT;
const revealed = target().tell(revealSecret());
const registering = revealed.tell(blockReached(DANGER));
const wakeBlock = ({ snapshot }: PlayedTarget) => snapshot.context.wakeBlock;

describe('a payment to this node', () => {
  it('waits for its registration without another one at the next block', () => {
    expect(wakeBlock(registering)).toBeNull();
    const { key } = effectOf(registering, 'tx.registerSecret');
    const again = registering.tell(at(DANGER, txFailed(key)), blockReached(DANGER + 1n));
    expect(wakeBlock(again)).toBeNull();
  });

  it('needs none once its secret stands on chain', () => {
    expect(wakeBlock(revealed.tell(secretRevealed(NOW + 1n)))).toBeNull();
  });

  it('needs none once its lock has run out', () => {
    expect(wakeBlock(target().tell(blockReached(EXPIRATION + CONFIRMATIONS)))).toBeNull();
    expect(wakeBlock(revealed.tell(blockReached(EXPIRATION)))).toBeNull();
  });
});

describe('the secret of a payment to this node', () => {
  it('is not registered because another channel closes', () => {
    const after = revealed.tell(channelClosed(OTHER_CHANNEL));
    expect([after.snapshot.value, after.effects]).toEqual(['revealed', []]);
  });
});
