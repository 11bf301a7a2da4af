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
  ledger: Pick<Ledger, 'hasSaid' | 'isInitiator'>;
};

/** Of one machine, so many signed messages are remembered. */
const KEPT = 4_000;
/** Requests that are remembered in all. */
const KEPT_REQUESTS = 50_000;

export function createWitness({ ledger }: Options) {
  const digests = new Map<string, Map<string, string>>();
  const requested = new Set<string>();
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
    if (!ledger.isInitiator(who, secrethash) || requested.has(`${who} ${secrethash}`)) return;
    throw new Violation(15, who, `${who} reveals a secret that nobody has asked for`);
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
      requested.add(`${to} ${message.secrethash}`);
      if (requested.size > KEPT_REQUESTS) requested.delete(requested.keys().next().value ?? '');
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
