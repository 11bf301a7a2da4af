/**
 * Reads every message that an honest machine sends, as somebody could who has its key, and holds it against what
 * is on its disk and what it has said before.
 */
import { channelActorId } from '../../../machines/channel-context.ts';
import { balanceHash } from '../../protocol/balance-proof.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import { type Address, type Hash, toHex } from '../../protocol/hex.ts';
import { signingDigest } from '../../protocol/message-hash.ts';
import {
  type ContractMessage,
  type EnvelopeMessage,
  isSigned,
  type Message,
  type SentMessage,
} from '../../protocol/messages.ts';
import type { Ledger } from './ledger.ts';
import { Violation } from './violation.ts';

type Options = {
  ledger: Pick<Ledger, 'hasSaid' | 'isInitiator' | 'ownExpiration'>;
  /** The newest block that every honest machine acts upon: a confirmed one. */
  seenBlock(): bigint;
  /** A machine shows a secret that is none of its own. */
  onSecret(who: string, secrethash: Hash): void;
};

/** Of one machine, so many signed messages are remembered. */
const KEPT = 4_000;
/** Requests that are remembered in all. */
const KEPT_REQUESTS = 50_000;

/** The newest of them. */
function remember(set: Set<string>, key: string) {
  set.add(key);
  if (set.size > KEPT_REQUESTS) set.delete(set.keys().next().value ?? '');
}

export function createWitness({ ledger, seenBlock, onSecret }: Options) {
  const digests = new Map<string, Map<string, string>>();
  const requested = new Set<string>();
  const revealed = new Set<string>();
  const counts = new Map<Message['type'], number>();

  /** One nonce of a channel is signed for one content only, whatever kind of message it is in. */
  function checkNonce(who: string, message: ContractMessage) {
    const known = digests.get(who) ?? new Map<string, string>();
    digests.set(who, known);
    const key = `${message.channelId} ${message.nonce} ${message.tokenNetwork}`;
    const digest = `${message.type} ${toHex(signingDigest(message))}`;
    const before = known.get(key);
    if (before !== undefined && before !== digest)
      throw new Violation(10, who, `${who} signs nonce ${message.nonce} twice: ${message.type}`);
    known.set(key, digest);
    if (known.size > KEPT) known.delete(known.keys().next().value ?? '');
  }

  function checkDisk(who: string, message: EnvelopeMessage) {
    const channel = channelActorId(message.tokenNetwork, message.channelId);
    if (ledger.hasSaid(who, channel, message.nonce, balanceHash(message))) return;
    throw new Violation(19, who, `${who} sends nonce ${message.nonce}, which is not on its disk`);
  }

  function checkReveal(who: string, secrethash: Hash) {
    const key = `${who} ${secrethash}`;
    if (!ledger.isInitiator(who, secrethash)) return onSecret(who, secrethash);
    if (!requested.has(key))
      throw new Violation(15, who, `${who} reveals a secret that nobody has asked for`);
    // It may say again what it said in time.
    if (revealed.has(key)) return;
    const expiration = ledger.ownExpiration(who, secrethash);
    if (expiration !== null && seenBlock() >= expiration)
      throw new Violation(15, who, `${who} reveals ${secrethash}, whose lock has expired`);
    remember(revealed, key);
  }

  function checkLine(who: string, { message }: SentMessage) {
    if (isSigned(message)) checkNonce(who, message);
    if ('locksroot' in message) checkDisk(who, message);
    if (message.type === 'RevealSecret') checkReveal(who, secrethashOf(message.secret));
  }

  return {
    /** Somebody, honest or not, says this to a machine. */
    heard(to: string, { message }: SentMessage) {
      if (message.type !== 'SecretRequest') return;
      remember(requested, `${to} ${message.secrethash}`);
    },
    /** An honest machine sends this. Throws the violation that it is. */
    sends(who: string, to: Address, messages: readonly SentMessage[]) {
      if (messages.length === 0)
        throw new Violation(31, who, `${who} sends ${to} what cannot be read`);
      for (const line of messages) {
        checkLine(who, line);
        const { type } = line.message;
        counts.set(type, (counts.get(type) ?? 0) + 1);
      }
    },
    /** Messages of honest machines, by type. */
    counts: (): ReadonlyMap<Message['type'], number> => counts,
  };
}
