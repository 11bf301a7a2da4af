/** What must hold whatever happens: of every message, after every step, and at the end. */
import { isDeepStrictEqual } from 'node:util';
import { SLOTS_FOR_OWN } from '../../machines/channel-budgets.ts';
import type { ChannelContext } from '../../machines/channel-context.ts';
import { channelState } from '../../src/node/views.ts';
import { balanceHash } from '../../src/protocol/balance-proof.ts';
import {
  assertSound,
  balance,
  type ChannelEnd,
  EMPTY_END,
  findLock,
  totalWithdraw,
} from '../../src/protocol/channel-end.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { toHex } from '../../src/protocol/hex.ts';
import { decodeLock, type Lock, MAX_PENDING_LOCKS } from '../../src/protocol/lock.ts';
import { decodeBatch, encodeMessage } from '../../src/protocol/message-codec.ts';
import { signingDigest } from '../../src/protocol/message-hash.ts';
import { type EnvelopeMessage, isSigned, type Message } from '../../src/protocol/messages.ts';
import type { Parcel } from '../support/wire.ts';
import type { Who } from './actions.ts';
import { open } from './crypto.ts';
import type { End } from './end.ts';
import { actorOf, CONFIRMATIONS, WEALTH, type World } from './world.ts';

type WithdrawMessage = Extract<Message, { participant: unknown }>;

/** The facts are not as they must be; the message says which. */
export function must(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

export function channelOf(
  end: End,
  channelId: bigint,
): { value: string; channel: ChannelContext } | null {
  const process = end.process();
  return process === null ? null : channelState(process.actors, actorOf(channelId));
}

/** Each channel from each of its ends. */
export const viewsOf = ({ chain, endsOf }: World) =>
  chain.channelIds().flatMap((channelId) => endsOf(channelId).map((end) => ({ channelId, end })));

/** What makes it another message than others: what is signed, or all of it. */
function contentOf(message: EnvelopeMessage | WithdrawMessage): string {
  if (isSigned(message)) return toHex(signingDigest(message));
  return encodeMessage({ message, signature: null });
}

/** Looks at every message that leaves a node, over all its lives. */
export function createWitness(world: () => World) {
  const signed = new Map<string, string>();
  const requested = new Set<string>();

  function witnessNonce(end: End, message: EnvelopeMessage | WithdrawMessage) {
    const { nonce, type, channelId } = message;
    const key = `${end.own} ${channelId} ${nonce}`;
    const said = `${type} ${contentOf(message)}`;
    must((signed.get(key) ?? said) === said, `two messages with nonce ${nonce} of ${end.own}`);
    signed.set(key, said);
  }

  function witnessWithdraw(end: End, message: WithdrawMessage) {
    const { chain, consents } = world();
    const { participant, totalWithdraw, expiration, type, channelId } = message;
    witnessNonce(end, message);
    if (type !== 'WithdrawExpired')
      return void consents.push({ by: end.own, participant, totalWithdraw, expiration, channelId });
    const block = chain.head() - CONFIRMATIONS;
    must(block >= expiration + 2n * CONFIRMATIONS, 'a withdraw expired too early');
  }

  function witnessEnvelope(end: End, message: EnvelopeMessage) {
    const { nonce, channelId } = message;
    const channel = actorOf(channelId);
    witnessNonce(end, message);
    const kept = end.disk.proof(channel, 'own', nonce);
    must(kept?.balanceHash === balanceHash(message), `nonce ${nonce} left before it was on disk`);
    if (message.type === 'LockExpired') witnessExpiry(end, channel, message);
  }

  function witnessExpiry(
    end: End,
    channel: string,
    { secrethash, nonce }: Extract<Message, { type: 'LockExpired' }>,
  ) {
    const { chain } = world();
    const lock = end.disk
      .locksAt(channel, 'own', nonce - 1n)
      .map(decodeLock)
      .find((known) => known.secrethash === secrethash);
    must(lock !== undefined, 'an expiry of no lock');
    if (lock === undefined) return;
    const block = chain.head() - CONFIRMATIONS;
    must(block >= lock.expiration + 2n * CONFIRMATIONS, 'a lock expired too early');
    const revealed = chain.revealBlock(secrethash);
    must(
      revealed === null || revealed >= lock.expiration,
      'a lock with a registered secret expired',
    );
  }

  function witness(end: End, isPayer: (hash: string) => boolean, message: Message) {
    switch (message.type) {
      case 'LockedTransfer':
      case 'Unlock':
      case 'LockExpired':
        return witnessEnvelope(end, message);
      case 'WithdrawRequest':
      case 'WithdrawConfirmation':
      case 'WithdrawExpired':
        return witnessWithdraw(end, message);
      case 'SecretRequest':
        return void requested.add(message.secrethash);
      case 'RevealSecret': {
        const hash = secrethashOf(message.secret);
        return must(!isPayer(hash) || requested.has(hash), 'a secret that nobody had asked for');
      }
    }
  }

  return ({ from, payload }: Parcel) => {
    const { endOf, payments, whoIs } = world();
    const who = whoIs(from);
    const isPayer = (hash: string) =>
      payments.some(({ by, secrethash }) => by === who && secrethash === hash);
    const { messages, refused } = decodeBatch(open(payload).text);
    must(refused.length === 0, 'a message that cannot be read');
    for (const { message } of messages) witness(endOf(who), isPayer, message);
  };
}

/** After every step. */
export function checkStep(world: World): void {
  const { ends, chain } = world;
  for (const end of ends) {
    for (const failure of end.failures) throw failure;
    must(end.disk.alarms().length === 0, 'an alarm without a reason');
  }
  for (const { channelId, end } of viewsOf(world)) {
    checkView(world, channelId, end);
    checkConsents(world, channelId, end);
    checkBudgets(end, channelId);
  }
  const owned = ends.map(({ own }) => chain.wealthOf(own)).reduce((a, b) => a + b);
  must(owned + chain.held() === BigInt(ends.length) * WEALTH, 'tokens were made or lost on chain');
  must(chain.held() >= 0n, 'the contract owes tokens');
}

/** One side's view is sound, and everything that it took from the other was written there before. */
function checkView({ chain, endsOf }: World, channelId: bigint, end: End): void {
  const state = channelOf(end, channelId);
  if (state === null) return;
  const { ownEnd, partnerEnd, partnerProof } = state.channel;
  const contract = chain.contract(channelId);
  const other = endsOf(channelId).find((one) => one !== end) ?? end;
  assertSound(ownEnd, partnerEnd);
  assertSound(partnerEnd, ownEnd);
  const shares = balance(ownEnd, partnerEnd) + balance(partnerEnd, ownEnd);
  const left = ownEnd.deposit + partnerEnd.deposit;
  const taken = totalWithdraw(ownEnd) + totalWithdraw(partnerEnd);
  must(shares === left - taken, 'balances, withdraws and deposits differ');
  must(ownEnd.withdrawn <= contract.withdrawnOf(end.own), 'a withdraw that is not there');
  must(ownEnd.deposit <= contract.depositOf(end.own), 'a deposit that is not there');
  must(partnerEnd.deposit <= contract.depositOf(other.own), 'a partner deposit that is not there');
  must((partnerProof?.nonce ?? 0n) === partnerEnd.nonce, 'the proof is not the newest');
  if (partnerProof === null) return;
  const theirs = other.disk.proof(actorOf(channelId), 'own', partnerProof.nonce);
  must(theirs?.balanceHash === partnerProof.balanceHash, 'a proof that the partner never signed');
}

/** Whoever is passed on for holds no more of the channel than one may, and each such lock is there. */
function checkBudgets(end: End, channelId: bigint): void {
  const state = channelOf(end, channelId);
  if (state === null) return;
  const { forwarded, ownEnd } = state.channel;
  const most = (MAX_PENDING_LOCKS - SLOTS_FOR_OWN) / 2;
  must(forwarded.length <= most, 'the one payer that there is holds too many locks');
  for (const { secrethash } of forwarded)
    must(findLock(ownEnd, secrethash) !== undefined, 'a budget is used by no lock');
}

/** What it has signed for a withdraw, and what may still come of it on chain, is promised to nobody else. */
function checkConsents({ chain, consents }: World, channelId: bigint, end: End): void {
  const state = channelOf(end, channelId);
  const contract = chain.contract(channelId);
  if (state === null || contract.state() !== 'opened') return;
  const { ownEnd, partnerEnd } = state.channel;
  for (const { by, participant, expiration, ...consent } of consents) {
    if (consent.channelId !== channelId) continue;
    const isGood = expiration > chain.head() && by === end.own;
    const isOpen = consent.totalWithdraw > contract.withdrawnOf(participant);
    const reserved = totalWithdraw(participant === end.own ? ownEnd : partnerEnd);
    must(!isGood || !isOpen || reserved >= consent.totalWithdraw, 'a consent without cover');
  }
}

/** A lock that a cheat has signed a second time, when its secret is public, stands until its channel is closed. */
const isTwin =
  ({ twins, chain }: World) =>
  ({ secrethash, expiration }: Lock): boolean => {
    const revealed = chain.revealBlock(secrethash);
    return twins().has(secrethash) && revealed !== null && revealed < expiration;
  };

/** Both ends of a channel stand still and say the same. */
export function checkAgreement(world: World, channelId: bigint): void {
  const ends = world.endsOf(channelId);
  const [first, second] = ends.map((end) => channelOf(end, channelId));
  if (!first || !second) throw new Error('a channel is missing');
  // The nonce of the own side counts withdraw messages, too.
  const amounts = ({ nonce: _, ...rest }: ChannelEnd) => rest;
  const [a, b] = [first.channel, second.channel];
  must(
    isDeepStrictEqual(amounts(a.ownEnd), amounts(b.partnerEnd)),
    'views of the first side differ',
  );
  must(
    isDeepStrictEqual(amounts(b.ownEnd), amounts(a.partnerEnd)),
    'views of the second side differ',
  );
  for (const { ownEnd, withdraw } of [a, b])
    must(ownEnd.withdraws.length === 0 && withdraw === null, 'a withdraw was left behind');
  for (const end of ends) must(end.disk.outboxSize() === 0, 'a message is left');
  for (const { channel } of [first, second])
    must(channel.ownEnd.locks.every(isTwin(world)), 'a lock was left behind');
}

/** When nothing is left of any channel: every payment is final, and nobody lost anything else. */
export function checkEnd(world: World): void {
  const { ends, chain, payments } = world;
  must(chain.held() === 0n, 'tokens are left in the contract');
  for (const end of ends) {
    if (asksForNothing(world, end)) continue;
    must(end.disk.loadActors().every(isSteady), 'an actor is left');
    must(end.disk.loadJobs().length === 0, 'a transaction is left');
  }
  for (const who of ends.keys()) checkRecords(world, who);
  const settled = payments.filter(({ by, secrethash }) =>
    isRecorded(world, by, 'Sent', secrethash),
  );
  for (const { to, secrethash } of settled) {
    // Whoever brings an old proof of its payer may cheat itself.
    if (to === world.cheater() || asksForNothing(world, world.endOf(to))) continue;
    must(isRecorded(world, to, 'Received', secrethash), 'paid but not received');
  }
  for (const who of ends.keys()) checkWealth(world, who);
}

/** Everybody has what its records say; whoever meets a cheater may have more. */
function checkWealth(world: World, who: Who): void {
  const { chain, payments, endOf, cheater } = world;
  if (cheater() === who) return;
  const { own, disk } = endOf(who);
  const gain = payments.reduce((sum, { by, to, amount, paid, secrethash }) => {
    if (by === who && isRecorded(world, by, 'Sent', secrethash)) return sum - paid;
    const isPaid = to === who && isRecorded(world, to, 'Received', secrethash);
    return isPaid ? sum + amount : sum;
  }, 0n);
  const fees = disk.mediations().reduce((sum, { fee }) => sum + fee, 0n);
  const wealth = chain.wealthOf(own) - WEALTH;
  if (cheater() === null)
    must(wealth === gain + fees, `${who} has ${wealth} instead of ${gain} and ${fees}`);
  else must(wealth >= gain - paidAgain(world, who), `${who} was robbed: ${wealth}, not ${gain}`);
}

/**
 * A known weakness of the contract: it covers the locks of an old proof by their sum. Where the cheater has
 * spent since what such a lock paid it, and others of them ran out, these pay for that lock once more.
 */
function paidAgain({ chain, endOf, cheater }: World, who: Who): bigint {
  const by = cheater();
  const logs = by === null ? [] : chain.logsIn(0n, chain.head());
  return logs.reduce((sum, log) => {
    if (by === null || log.type !== 'chain.channelUnlocked') return sum;
    const isOwn = log.sender === endOf(who).own && log.receiver === endOf(by).own;
    return isOwn ? sum + log.unlockedAmount : sum;
  }, 0n);
}

function isSteady({ kind }: { kind: string }): boolean {
  return kind === 'node' || kind === 'tokenNetwork';
}

function isRecorded(
  { endOf }: World,
  who: Who,
  what: 'Sent' | 'Received' | 'Failed',
  hash: string,
) {
  return endOf(who)
    .disk.payments()
    .some(({ type, secrethash }) => type === `record.payment${what}` && secrethash === hash);
}

/** Each payment ended once, and whoever asked for it was answered once, if the process lived so long. */
function checkRecords({ endOf, payments, asked }: World, who: Who): void {
  const { crashes, replies, disk } = endOf(who);
  for (const { by, secrethash } of payments) {
    const answers = replies.filter(({ requestId }) => requestId === `initiator:${secrethash}`);
    const isAnswered = answers.length === 1 || (crashes.length > 0 && answers.length === 0);
    must(by !== who || isAnswered, `a payment got ${answers.length} answers`);
  }
  for (const { by, requestId } of asked) {
    const answers = replies.filter((reply) => reply.requestId === requestId).length;
    const isAnswered = answers === 1 || (crashes.length > 0 && answers === 0);
    must(by !== who || isAnswered, `a command got ${answers} answers`);
  }
  const ended = disk.payments().map(({ type, secrethash }) => {
    return `${type === 'record.paymentReceived' ? 'in' : 'out'} ${secrethash}`;
  });
  must(new Set(ended).size === ended.length, 'a payment ended twice');
}

/**
 * A known weakness: when a cheater's old proof left nothing for the locks of a side, and the log of the
 * settlement does not tell, a channel asks for an unlock of nothing again and again. It loses nothing.
 */
export function asksForNothing({ chain, cheater }: World, end: End): boolean {
  if (cheater() === null || chain.held() > 0n) return false;
  return chain.channelIds().some((channelId) => channelOf(end, channelId)?.value === 'claiming');
}

/** Whether a payment of this end is still on its way, or one to it or through it. */
export function isBusy(world: World, end: End): boolean {
  if (asksForNothing(world, end)) return false;
  const process = end.process();
  if (process === null) return true;
  const pending = process.actors.ids().filter((id) => /^(initiator|mediator|target):/.test(id));
  const left = world.chain.channelIds().map((channelId) => {
    const { locks, withdraws } = channelOf(end, channelId)?.channel.ownEnd ?? EMPTY_END;
    return locks.filter((lock) => !isTwin(world)(lock)).length + withdraws.length;
  });
  const count = left.reduce((sum, one) => sum + one, pending.length + end.disk.outboxSize());
  return count > 0 || !process.isDone();
}
