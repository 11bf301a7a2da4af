/** Withdraws of this node that are over: what is remembered of them, and what they do to the next one. */
import { describe, expect, it } from 'vitest';
import { openChannel, type PlayedChannel } from '../../support/channel-makers.ts';
import {
  at,
  blockReached,
  CONFIRMATIONS,
  NOW,
  OWN,
  REVEAL_TIMEOUT,
  withdrawn,
} from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';
import { withdrawConfirmation } from '../../support/withdraw-makers.ts';

/** Blocks after which a withdraw that did not reach the chain is taken back. */
const LASTING = 2n * REVEAL_TIMEOUT - 1n + 2n * CONFIRMATIONS;
const startOf = (n: number) => NOW + BigInt(n) * LASTING;
const idOf = (n: number) => 1_000n + BigInt(n);
const consent = (n: number) =>
  at(
    startOf(n),
    withdrawConfirmation({
      messageId: idOf(n),
      totalWithdraw: 30n,
      expiration: startOf(n) + 2n * REVEAL_TIMEOUT - 1n,
    }),
  );

/** The channel after its withdraw of number `n` began, was agreed to or not, and ran out. */
function ranOut(channel: PlayedChannel, n: number, isAgreed: boolean): PlayedChannel {
  const asking = channel.tell(at(startOf(n), command.withdraw(30n, { messageId: idOf(n) })));
  const answered = isAgreed ? asking.tell(consent(n)) : asking;
  return answered.tell(blockReached(startOf(n) + LASTING));
}

const acknowledged = (channel: PlayedChannel, n: number) =>
  effectsOf(channel.tell(consent(n)), 'send.processed').length === 1;

describe('the withdraws that a channel has asked for', () => {
  let many = ranOut(openChannel(), 0, false);
  for (let n = 1; n <= 70; n++) many = ranOut(many, n, true);

  it('are remembered only up to a bound once they are answered, the newest of them', () => {
    // The one without an answer, 64 others, and the last, which was added after the others were counted.
    expect(many.snapshot.context.requests).toHaveLength(66);
    expect(acknowledged(many, 70)).toBe(true);
    expect(acknowledged(many, 6)).toBe(true);
    expect(acknowledged(many, 5)).toBe(false);
  });

  it('are remembered while they have no answer, which may still come', () => {
    expect(acknowledged(many, 0)).toBe(true);
  });
});

describe('a withdraw that follows one which the partner brought on chain', () => {
  const first = openChannel().tell(command.withdraw(30n)).tell(withdrawn(OWN, 30n));
  const next = first.tell(command.withdraw(50n, { requestId: 'next', messageId: 80n }));

  it('is not brought on chain with the late consent to the one before', () => {
    const late = next.tell(withdrawConfirmation({ totalWithdraw: 30n }));
    expect(late.effects.map(({ type }) => type)).toEqual(['done.message', 'send.processed']);
    const due = late.tell(withdrawConfirmation({ totalWithdraw: 50n, messageId: 80n }));
    expect(effectOf(due, 'tx.withdraw').totalWithdraw).toBe(50n);
  });

  it('has not succeeded because the chain tells of the one before again', () => {
    expect(next.tell(withdrawn(OWN, 30n)).effects).toEqual([]);
    expect(effectOf(next.tell(withdrawn(OWN, 50n)), 'reply.ok').requestId).toBe('next');
  });
});
