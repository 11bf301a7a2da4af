/** Many lines of one type at once: each has the form of what a partner may say, and none is of any use. */

import { type Address, toHex, ZERO_HASH } from '../../basics/hex.ts';
import { EMPTY_SIGNATURE } from '../../protocol/channel/balance-proof.ts';
import { encodeMessage } from '../../protocol/messages/message-codec.ts';
import type { Message, MessageType, SentMessage } from '../../protocol/messages/table.ts';
import { placesOf } from './chain-moves.ts';
import type { Power } from './program.ts';

type Flood = { type: MessageType; times: number; payloads: number };

/** Sends so many lines of the type to this node, in payloads that are spread over the time until the next block. */
export function flood(power: Power, to: Address, { type, times, payloads }: Flood): void {
  const each = Math.ceil(times / payloads);
  for (let payload = 0; payload < payloads; payload++)
    power.later(payload / payloads, () => {
      const lines = Array.from({ length: each }, (_, n) => useless(power, to, type, n));
      const written = lines.filter((line) => line !== null).map(encodeMessage);
      const sealed = written.length === 0 ? null : power.sealText(to, written.join('\n'));
      if (sealed !== null) power.replay(to, sealed);
    });
}

/** Null: there is no such message to make it of. */
function useless(power: Power, to: Address, type: MessageType, n: number): SentMessage | null {
  const messageId = power.draw.bigint(1n, 2n ** 63n);
  switch (type) {
    case 'Update':
      return said(power, to, type, n);
    case 'Delivered':
      return power.sign({ type, deliveredMessageId: messageId });
    case 'Processed':
      return power.sign({ type, messageId });
    case 'SecretRequest': {
      const facts = {
        paymentId: messageId,
        token: to,
        amount: 1n,
        expiration: power.head() + 100n,
      };
      return power.sign({ type, messageId, secrethash: hashAt(power, n), ...facts });
    }
    case 'RevealSecret':
      return power.sign({ type, messageId, secret: secretAt(power, n) });
    case 'WithdrawRequest':
    case 'WithdrawConfirmation':
    case 'WithdrawExpired':
    case 'Sync':
      return inChannel(power, to, type, messageId);
  }
}

/** A message of this type that the node was sent before, signature and all. */
function said({ memory }: Power, to: Address, type: MessageType, n: number): SentMessage | null {
  const known = memory.sent.filter((one) => one.to === to && one.line.message.type === type);
  return known[n % Math.max(1, known.length)]?.line ?? null;
}

const hashAt = ({ memory, draw }: Power, n: number) =>
  [...memory.secrets.keys()][n] ?? toHex(draw.bytes(32));
const secretAt = ({ memory, draw }: Power, n: number) =>
  [...memory.secrets.values()][n] ?? toHex(draw.bytes(32));

type OfChannel = 'WithdrawRequest' | 'WithdrawConfirmation' | 'WithdrawExpired' | 'Sync';

function inChannel(
  power: Power,
  to: Address,
  type: OfChannel,
  messageId: bigint,
): SentMessage | null {
  const place = placesOf(power).find(({ partner }) => partner === to);
  if (place === undefined) return null;
  const { partner, ...channel } = place;
  const of = { ...channel, messageId };
  const { own } = power;
  const numbers = { totalWithdraw: 1n, nonce: messageId, expiration: power.head() + 100n };
  const message = ((): Message => {
    switch (type) {
      case 'WithdrawRequest':
        return { ...of, ...numbers, type, participant: own, coopSettle: false };
      case 'WithdrawConfirmation':
        return { ...of, ...numbers, type, participant: partner };
      case 'WithdrawExpired':
        return { ...of, ...numbers, type, participant: own };
      // Whoever has accepted nothing asks for everything, and for an answer.
      case 'Sync':
        return { ...of, type, signedNonce: 0n, acceptedNonce: 0n, ...NOTHING, answer: true };
    }
  })();
  return power.sign(message);
}

const NOTHING = {
  balanceHash: ZERO_HASH,
  additionalHash: ZERO_HASH,
  proofSignature: EMPTY_SIGNATURE,
};
