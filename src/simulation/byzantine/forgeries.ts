/** Messages that no honest node would send now, made of what was said before. */
import { secrethashOf } from '../../protocol/hash.ts';
import { type Address, toHex } from '../../protocol/hex.ts';
import type { LockedTransfer, Message, SentMessage } from '../../protocol/messages.ts';
import { placesOf } from './chain-moves.ts';
import { type Move, numberFor } from './moves.ts';
import type { Group, Power } from './program.ts';
import type { SignedEnd } from './signed-end.ts';

type Forge = Extract<Move, { do: 'forge' }>;
type Facts = {
  head: bigint;
  everybody: readonly Address[];
  endOf(power: Power, to: Address): SignedEnd;
};
/** One forgery: of what it is made, and its number among those of the same move. */
type Making = Facts & { power: Power; move: Forge; n: number; messageId: bigint };
type Forged = { to: Address; message: Message } | null;
type Known<M extends Message> = { whose: Address; message: M };

/** What to say for this forgery, in one payload for each recipient; nothing when there is nothing to begin with. */
export function forge(power: Power, move: Forge, facts: Facts): Group[] {
  const groups = new Map<Address, SentMessage[]>();
  for (let n = 0; n < move.times; n++) {
    const messageId = power.draw.bigint(1n, 2n ** 63n);
    const forged = one({ ...facts, power, move, n, messageId });
    if (forged === null) continue;
    const { to, message } = forged;
    const line =
      'locksroot' in message ? facts.endOf(power, to).next(message) : power.sign(message);
    groups.set(to, [...(groups.get(to) ?? []), line]);
  }
  return [...groups].map(([to, messages]) => ({ to, messages }));
}

function one(making: Making): Forged {
  switch (making.move.what) {
    case 'twin':
      return twin(making);
    case 'lock':
      return lockOfNothing(making);
    case 'unlock':
    case 'expire':
      return endOfLock(making);
    case 'request':
      return request(making);
    case 'reveal':
      return reveal(making);
    case 'withdraw':
    case 'consent':
      return withdraw(making);
  }
}

/** A transfer that was sent, by its index among all. */
function sentTransfer({ power, move }: Making): Known<LockedTransfer> | null {
  const known = power.memory.sent.flatMap(({ to, line: { message } }) =>
    message.type === 'LockedTransfer' ? [{ whose: to, message }] : [],
  );
  return known[move.index % Math.max(1, known.length)] ?? null;
}

/** A transfer that was heard, and who sent it. */
function heardTransfer({ power, move }: Making): Known<LockedTransfer> | null {
  const known = power.memory.heard.flatMap(({ from, line: { message } }) =>
    message.type === 'LockedTransfer' ? [{ whose: from, message }] : [],
  );
  return known[move.index % Math.max(1, known.length)] ?? null;
}

/** The same secrethash locks once more. */
function twin(making: Making): Forged {
  const sent = sentTransfer(making);
  const { messageId } = making;
  return sent && { to: sent.whose, message: { ...sent.message, messageId } };
}

/** A lock whose secret nobody will ever show; the first of several has any expiration, the others are dust. */
function lockOfNothing(making: Making): Forged {
  const { power, move, head, n, messageId } = making;
  const sent = sentTransfer(making);
  if (sent === null) return null;
  const { lock } = sent.message;
  const secrethash = secrethashOf(toHex(power.draw.bytes(32)));
  const expiration = n === 0 ? numberFor(move.value, lock.expiration, head) : lock.expiration;
  const amount = n === 0 ? lock.amount : 1n;
  const ids = { messageId, paymentId: messageId };
  const forged = { ...sent.message, ...ids, lock: { secrethash, amount, expiration } };
  return { to: sent.whose, message: forged };
}

/** Pays, or takes back, what is pending, whether it may or not. */
function endOfLock(making: Making): Forged {
  const { power, move, endOf, messageId } = making;
  const sent = sentTransfer(making);
  if (sent === null) return null;
  const [pending = sent.message.lock] = endOf(power, sent.whose).pending();
  const { secrethash } = pending;
  const { lock, metadata, token, target, initiator, recipient, paymentId, ...rest } = sent.message;
  const envelope = { ...rest, messageId };
  if (move.what === 'expire')
    return { to: sent.whose, message: { ...envelope, type: 'LockExpired', recipient, secrethash } };
  const secret = power.memory.secrets.get(secrethash) ?? toHex(power.draw.bytes(32));
  return { to: sent.whose, message: { ...envelope, type: 'Unlock', paymentId, secret } };
}

/** Asks the initiator of a payment for its secret, with another amount or expiration. */
function request(making: Making): Forged {
  const { move, head, messageId } = making;
  const heard = heardTransfer(making);
  if (heard === null) return null;
  const { lock, paymentId, initiator } = heard.message;
  const { amount, secrethash } = lock;
  const expiration = numberFor(move.value, lock.expiration, head);
  const numbers = { messageId, paymentId, amount, secrethash, expiration };
  return { to: initiator, message: { type: 'SecretRequest', ...numbers } };
}

/** Tells the payer a secret, the right one if it is known. */
function reveal(making: Making): Forged {
  const { power, messageId } = making;
  const heard = heardTransfer(making);
  if (heard === null) return null;
  const known = power.memory.secrets.get(heard.message.lock.secrethash);
  const secret = known ?? toHex(power.draw.bytes(32));
  return { to: heard.whose, message: { type: 'RevealSecret', messageId, secret } };
}

/** Asks to take out what it likes until when it likes, or agrees to what was never asked. */
function withdraw({ power, move, head, messageId }: Making): Forged {
  const places = placesOf(power);
  const place = places[move.index % Math.max(1, places.length)];
  if (place === undefined) return null;
  const { partner, ...channel } = place;
  const expiration = head + BigInt(power.draw.integer(-2, 200));
  const totalWithdraw = numberFor(move.value, 100n, head);
  const numbers = { ...channel, messageId, totalWithdraw, expiration, nonce: 1n };
  const message: Message =
    move.what === 'withdraw'
      ? { ...numbers, type: 'WithdrawRequest', participant: power.own, coopSettle: false }
      : { ...numbers, type: 'WithdrawConfirmation', participant: partner };
  return { to: partner, message };
}
