/** What a cheat says in the place of its node's messages, where it has no move to make. */
import { describe, expect, it } from 'vitest';
import { ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { isSigned, type Message, type SentMessage } from '../../src/protocol/messages/table.ts';
import { createSignedEnd } from '../../src/simulation/byzantine/signed-end.ts';

const messageId = 7n;
const request: Message = {
  type: 'WithdrawRequest',
  messageId,
  chainId: 1n,
  tokenNetwork: ZERO_ADDRESS,
  channelId: 1n,
  nonce: 5n,
  participant: ZERO_ADDRESS,
  totalWithdraw: 10n,
  expiration: 100n,
  coopSettle: false,
};
const signed = (message: Message): SentMessage =>
  isSigned(message) ? { message, signature: '0x' } : { message, signature: null };

describe('the signed end of a cheat', () => {
  it('repeats a message exactly as it sent it first', () => {
    const end = createSignedEnd(signed);
    const first = end.rewritten(signed(request));
    expect(end.rewritten(signed(request))).toBe(first);
    expect(end.nonce()).toBe(1n);
  });

  it('acknowledges a consent, and does not ask for it once more', () => {
    const end = createSignedEnd(signed);
    end.rewritten(signed(request));
    const acknowledgement: Message = { type: 'Processed', messageId };
    expect(end.rewritten(signed(acknowledgement)).message).toEqual(acknowledgement);
  });
});
