/** The check of a balance proof by itself: it does not lean on the chart, which looks for repeated messages first. */
import { expect, it } from 'vitest';
import { incomingStep } from '../../../machines/channel/incoming.ts';
import { partnersLock, received, withPartnersLock } from '../../support/channel-makers.ts';

it.each([
  [0n, false],
  [1n, false],
  [2n, true],
])('a proof of the partner that follows nonce 1 with nonce %d is right: %s', (nonce, isRight) => {
  const { ours, theirs } = withPartnersLock();
  const second = received(theirs.tell(partnersLock({ n: 2 })));
  if (second.type !== 'msg.lockedTransfer') throw new Error('no transfer');
  const event = { ...second, message: { ...second.message, nonce } };
  expect(incomingStep(ours.snapshot.context, event).ok).toBe(isRight);
});
