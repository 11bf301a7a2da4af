import { describe, expect, it } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { targetMachine } from '../../../machines/target/chart.ts';
import { STRANGER } from '../../support/makers.ts';
import { channelClosed, lockEnded } from '../../support/payment-makers.ts';

const SECRETHASH = `0x${'11'.repeat(32)}` as const;
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as const;
const input = {
  id: `target:${SECRETHASH}`,
  own: ADDRESS,
  confirmations: 1n,
  channel: 'channel:x:1',
  payer: ADDRESS,
  initiator: STRANGER,
  paymentId: 1n,
  amount: 100n,
  secrethash: SECRETHASH,
  expiration: 100n,
  revealTimeout: 10n,
  token: ADDRESS,
  tokenNetwork: ADDRESS,
  nowBlock: 1n,
  secret: null,
};

describe('a payment whose secrethash is used in a second channel too', () => {
  it.each([
    lockEnded.unlocked('channel:x:2'),
    lockEnded.lockGone('channel:x:2'),
    channelClosed('channel:x:2'),
  ])('does not end by $type of the other channel', (event) => {
    const [requesting] = initialTransition(targetMachine, input);
    const [after, effects] = transition(targetMachine, requesting, event);
    expect(after.value).toBe('requesting');
    expect(effects).toEqual([]);
  });

  it('ends by an unlock of its own channel', () => {
    const [requesting] = initialTransition(targetMachine, input);
    const event = lockEnded.unlocked('channel:x:1');
    expect(transition(targetMachine, requesting, event)[0].value).toBe('paid');
  });
});
