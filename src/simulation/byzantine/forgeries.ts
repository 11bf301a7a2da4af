/** Messages that no honest node would send at this moment, made from messages of before. */

import { type Address, type Secret, toHex, ZERO_HASH } from '../../basics/hex.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import type { LockedTransfer } from '../../protocol/messages/locked-transfer.ts';
import type { Message, SentMessage } from '../../protocol/messages/table.ts';
import type { Move } from '../scenario/schema/moves.ts';
import { placesOf } from './chain-moves.ts';
import { numberFor } from './moves.ts';
import type { Group, Power } from './program.ts';
import type { SignedEnd } from './signed-end.ts';

type Forge = Extract<Move, { do: 'forge' }>;
type Facts = {
  head: bigint;
  everybody: readonly Address[];
  endOf(power: Power, to: Address): SignedEnd;
};
/** The facts for one forgery; `n` is its number among those of the same move. */
type Making = Facts & { power: Power; move: Forge; n: number; messageId: bigint };
type Forged = { to: Address; message: Message } | null;
/** `isSent`: this node sent it to `whose`; else it came from `whose`. */
type Known = { whose: Address; message: LockedTransfer; isSent: boolean };
type EndOf = Facts['endOf'];

/** The messages of this forgery, in one payload for each recipient; none when there is no message to make them from. */
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
  const { power, move } = making;
  const [sent, heard] = [transferAt(power, move.index, true), transferAt(power, move.index, false)];
  switch (move.what) {
    case 'twin':
      return sent && twin(making, sent);
    case 'lock':
      return sent && lockOfNothing(making, sent);
    case 'unlock':
    case 'expire':
      return sent && endOfLock(making, move.what, firstPending(making, sent));
    case 'request':
      return heard && request(making, heard);
    case 'reveal':
      return heard && reveal(making, heard);
    case 'refund':
      return heard && refund(making, heard);
    case 'withdraw':
    case 'consent':
      return withdraw(making);
    case 'lapse':
      return lapse(making);
  }
}

/** Every transfer that this node has sent or received. */
export function locksOf({ memory }: Power): Known[] {
  const sent = memory.sent.flatMap(({ to, line: { message } }) =>
    message.type === 'LockedTransfer' ? [{ whose: to, message, isSent: true }] : [],
  );
  const heard = memory.heard.flatMap(({ from, line: { message } }) =>
    message.type === 'LockedTransfer' ? [{ whose: from, message, isSent: false }] : [],
  );
  return [...sent, ...heard];
}

function transferAt(power: Power, index: number, isSent: boolean): Known | null {
  const known = locksOf(power).filter((one) => one.isSent === isSent);
  return known[index % Math.max(1, known.length)] ?? null;
}

/** The messages that can be sent about one lock, to those whom it concerns; none when the lock no longer exists. */
export function aboutLock(
  power: Power,
  what: 'reveal' | 'unlock' | 'expire' | 'request',
  known: Known,
  endOf: EndOf,
): Group[] {
  const messageId = power.draw.bigint(1n, 2n ** 63n);
  const making = { power, endOf, messageId };
  const { secrethash } = known.message.lock;
  const isPending = endOf(power, known.whose)
    .pending()
    .some((one) => one.secrethash === secrethash);
  const forged =
    what === 'reveal'
      ? reveal(making, known)
      : what === 'request'
        ? !known.isSent && request(making, known)
        : known.isSent && isPending && endOfLock(making, what, known);
  if (!forged) return [];
  const { to, message } = forged;
  const line = 'locksroot' in message ? endOf(power, to).next(message) : power.sign(message);
  return [{ to, messages: [line] }];
}

type About = Pick<Making, 'power' | 'endOf' | 'messageId'>;

/** A second lock with the same secrethash. */
function twin({ messageId }: Making, { whose, message }: Known): Forged {
  return { to: whose, message: { ...message, messageId } };
}

/** A lock that nobody asked for. The first of several has a forged expiration, the others are dust. */
function lockOfNothing(
  { power, move, head, n, messageId }: Making,
  { whose, message }: Known,
): Forged {
  const { lock } = message;
  const secrethash = secrethashOf(secretOf(power, move));
  const expiration = n === 0 ? numberFor(move.value, lock.expiration, head) : lock.expiration;
  const amount = n === 0 ? lock.amount : 1n;
  const ids = { messageId, paymentId: messageId };
  return { to: whose, message: { ...message, ...ids, lock: { secrethash, amount, expiration } } };
}

/** The secret for a forged lock. It is kept, so that the program can reveal or register it later. */
function secretOf(power: Power, { secret, index }: Forge): Secret {
  const known = [...power.memory.secrets.values()];
  const own = toHex(power.draw.bytes(32));
  const chosen =
    secret === 'zero' ? ZERO_HASH : secret === 'public' ? known[index % known.length] : undefined;
  power.memory.secrets.set(secrethashOf(chosen ?? own), chosen ?? own);
  return chosen ?? own;
}

/** The oldest lock that is pending with the partner of this transfer; without one, the transfer's own. */
function firstPending({ power, endOf }: Making, sent: Known): Known {
  const [lock = sent.message.lock] = endOf(power, sent.whose).pending();
  return { ...sent, message: { ...sent.message, lock } };
}

/** An `Unlock` or a `LockExpired` for the lock, whether it is allowed or not. */
function endOfLock(
  { power, messageId }: About,
  what: 'unlock' | 'expire',
  { whose, message }: Known,
): Forged {
  const { secrethash } = message.lock;
  const { lock, metadata, token, target, initiator, recipient, paymentId, ...rest } = message;
  const envelope = { ...rest, messageId };
  if (what === 'expire')
    return { to: whose, message: { ...envelope, type: 'LockExpired', recipient, secrethash } };
  const secret = power.memory.secrets.get(secrethash) ?? toHex(power.draw.bytes(32));
  return { to: whose, message: { ...envelope, type: 'Unlock', paymentId, secret } };
}

/** A request to the initiator for the secret of a payment, with another expiration if the move says so. */
function request(
  making: About & Partial<Pick<Making, 'move' | 'head'>>,
  { message }: Known,
): Forged {
  const { lock, paymentId, initiator } = message;
  const { amount, secrethash } = lock;
  const { move, head = 0n, messageId } = making;
  const expiration = move ? numberFor(move.value, lock.expiration, head) : lock.expiration;
  const numbers = { messageId, paymentId, amount, secrethash, expiration };
  return { to: initiator, message: { type: 'SecretRequest', ...numbers } };
}

/** Reveals a secret to the other end of a lock: the right secret if it is known, else a random one. */
function reveal({ power, messageId }: About, { whose, message }: Known): Forged {
  const known = power.memory.secrets.get(message.lock.secrethash);
  const secret = known ?? toHex(power.draw.bytes(32));
  return { to: whose, message: { type: 'RevealSecret', messageId, secret } };
}

/** A refund of a transfer: a lock back to its sender with the same secrethash. */
function refund({ power, messageId }: Making, { whose, message }: Known): Forged {
  const back = { messageId, recipient: whose, initiator: power.own };
  return { to: whose, message: { ...message, ...back, type: 'RefundTransfer' } };
}

/** A withdraw request for any amount and expiration, or a consent to one that was never requested. */
function withdraw({ power, move, head, messageId }: Making): Forged {
  const places = placesOf(power);
  const place = places[move.index % Math.max(1, places.length)];
  if (place === undefined) return null;
  const { partner, ...channel } = place;
  const drawn = head + BigInt(power.draw.integer(-2, 200));
  const expiration = move.until === null ? drawn : numberFor(move.until, drawn, head);
  const totalWithdraw = numberFor(move.value, 100n, head);
  const numbers = { ...channel, messageId, totalWithdraw, expiration, nonce: 1n };
  const message: Message =
    move.what === 'withdraw'
      ? { ...numbers, type: 'WithdrawRequest', participant: power.own, coopSettle: false }
      : { ...numbers, type: 'WithdrawConfirmation', participant: partner };
  return { to: partner, message };
}

/** A `WithdrawExpired` for a withdraw that the partner has agreed to, whether or not it can still be mined. */
function lapse({ power, move, messageId }: Making): Forged {
  const consents = power.memory.heard.flatMap(({ from, line: { message } }) =>
    message.type === 'WithdrawConfirmation' ? [{ to: from, message }] : [],
  );
  const consent = consents[move.index % Math.max(1, consents.length)];
  if (consent === undefined) return null;
  return { to: consent.to, message: { ...consent.message, type: 'WithdrawExpired', messageId } };
}
