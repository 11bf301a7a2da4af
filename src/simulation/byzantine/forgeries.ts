/** Messages that no honest node would send at this moment, made from messages of before. */

import { type Address, type Secret, toHex, ZERO_HASH } from '../../basics/hex.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import type { Change, LockChange } from '../../protocol/messages/changes.ts';
import type { Message, SentMessage } from '../../protocol/messages/table.ts';
import type { Update } from '../../protocol/messages/update.ts';
import type { Move } from '../scenario/schema/moves.ts';
import { placesOf } from './chain-moves.ts';
import { numberFor } from './moves.ts';
import type { Group, Power } from './program.ts';
import type { SignedEnd } from './signed-end.ts';
import { type WrongUpdate, wrongChanges, wrongLine } from './wrong-updates.ts';

type Forge = Extract<Move, { do: 'forge' }>;
type Facts = {
  head: bigint;
  everybody: readonly Address[];
  endOf(power: Power, to: Address): SignedEnd;
};
/** The facts for one forgery; `n` is its number among those of the same move. */
type Making = Facts & { power: Power; move: Forge; n: number; messageId: bigint };
/** `wrong`: the changes of an Update that no honest node says in this form. */
type Forged = { to: Address; message: Message; wrong?: WrongUpdate } | null;
/** A lock, and the Update that brought it. `isSent`: this node sent it to `whose`; else it came from `whose`. */
export type Known = { whose: Address; message: Update; change: LockChange; isSent: boolean };
type EndOf = Facts['endOf'];

/** The messages of this forgery, in one payload for each recipient; none when there is no message to make them from. */
export function forge(power: Power, move: Forge, facts: Facts): Group[] {
  const groups = new Map<Address, SentMessage[]>();
  for (let n = 0; n < move.times; n++) {
    const messageId = power.draw.bigint(1n, 2n ** 63n);
    const forged = one({ ...facts, power, move, n, messageId });
    if (forged === null) continue;
    const { to } = forged;
    const line = lineOf(power, forged, facts.endOf(power, to));
    groups.set(to, [...(groups.get(to) ?? []), line]);
  }
  return [...groups].map(([to, messages]) => ({ to, messages }));
}

function lineOf(
  power: Power,
  { message, wrong }: NonNullable<Forged>,
  end: SignedEnd,
): SentMessage {
  if (message.type !== 'Update') return power.sign(message);
  return wrong === undefined ? end.next(message) : wrongLine(wrong, message, end);
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
    case 'order':
    case 'mixed':
    case 'twice':
    case 'many':
    case 'elsewhere':
    case 'jump':
    case 'other':
      return sent && wrongUpdate(making, move.what, sent);
  }
}

/** Every transfer that this node has sent or received. */
export function locksOf({ memory }: Power): Known[] {
  const sent = memory.sent.flatMap(({ to, line }) => locksIn(line, { whose: to, isSent: true }));
  const heard = memory.heard.flatMap(({ from, line }) =>
    locksIn(line, { whose: from, isSent: false }),
  );
  return [...sent, ...heard];
}

function locksIn({ message }: SentMessage, of: Pick<Known, 'whose' | 'isSent'>): Known[] {
  if (message.type !== 'Update') return [];
  return message.changes.flatMap((change) =>
    change.type === 'lock' ? [{ ...of, message, change }] : [],
  );
}

/** An Update of this channel with other changes. */
const withChanges = (
  { message }: Known,
  messageId: bigint,
  changes: readonly Change[],
): Update => ({
  ...message,
  messageId,
  changes,
});

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
  const { secrethash } = known.change.lock;
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
  const { to } = forged;
  return [{ to, messages: [lineOf(power, forged, endOf(power, to))] }];
}

type About = Pick<Making, 'power' | 'endOf' | 'messageId'>;

/** A second lock with the same secrethash. */
function twin({ messageId }: Making, known: Known): Forged {
  return { to: known.whose, message: withChanges(known, messageId, [known.change]) };
}

/** A lock that nobody asked for. The first of several has a forged expiration, the others are dust. */
function lockOfNothing({ power, move, head, n, messageId }: Making, known: Known): Forged {
  const { lock } = known.change;
  const secrethash = secrethashOf(secretOf(power, move));
  const expiration = n === 0 ? numberFor(move.value, lock.expiration, head) : lock.expiration;
  const amount = n === 0 ? lock.amount : 1n;
  const made = { ...known.change, paymentId: messageId, lock: { secrethash, amount, expiration } };
  return { to: known.whose, message: withChanges(known, messageId, [made]) };
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
  const [lock = sent.change.lock] = endOf(power, sent.whose).pending();
  return { ...sent, change: { ...sent.change, lock } };
}

/** That the lock is paid, or has expired, whether it is allowed or not. */
function endOfLock({ power, messageId }: About, what: 'unlock' | 'expire', known: Known): Forged {
  const { recipient, paymentId, lock } = known.change;
  const { secrethash } = lock;
  const secret = power.memory.secrets.get(secrethash) ?? toHex(power.draw.bytes(32));
  const change: Change =
    what === 'expire'
      ? { type: 'expired', recipient, secrethash }
      : { type: 'unlock', paymentId, secret };
  return { to: known.whose, message: withChanges(known, messageId, [change]) };
}

/** Changes that have the form of an Update and are none. */
function wrongUpdate(making: Making, what: WrongUpdate, known: Known): Forged {
  const { power, messageId } = making;
  // A lock of another partner: here nobody knows it.
  const foreign = locksOf(power).find(({ whose }) => whose !== known.whose)?.change.lock;
  const freshSecret = () => {
    const secret = toHex(power.draw.bytes(32));
    power.memory.secrets.set(secrethashOf(secret), secret);
    return secret;
  };
  const facts = { change: known.change, foreign: foreign ?? null, freshSecret };
  const changes = wrongChanges(what, facts);
  return { to: known.whose, message: withChanges(known, messageId, changes), wrong: what };
}

/** A request to the initiator for the secret of a payment, with another expiration if the move says so. */
function request(
  making: About & Partial<Pick<Making, 'move' | 'head'>>,
  { change }: Known,
): Forged {
  const { lock, paymentId, initiator, token } = change;
  const { amount, secrethash } = lock;
  const { move, head = 0n, messageId } = making;
  const expiration = move ? numberFor(move.value, lock.expiration, head) : lock.expiration;
  const numbers = { messageId, paymentId, token, amount, secrethash, expiration };
  return { to: initiator, message: { type: 'SecretRequest', ...numbers } };
}

/** Reveals a secret to the other end of a lock: the right secret if it is known, else a random one. */
function reveal({ power, messageId }: About, { whose, change }: Known): Forged {
  const known = power.memory.secrets.get(change.lock.secrethash);
  const secret = known ?? toHex(power.draw.bytes(32));
  return { to: whose, message: { type: 'RevealSecret', messageId, secret } };
}

/** A refund of a transfer: a lock back to its sender with the same secrethash. */
function refund({ power, messageId }: Making, known: Known): Forged {
  const { whose } = known;
  const back = { recipient: whose, initiator: power.own };
  const change: Change = { ...known.change, ...back, type: 'refund' };
  return { to: whose, message: withChanges(known, messageId, [change]) };
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
