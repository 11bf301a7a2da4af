/**
 * Reads every message that an honest node sends, with the node's key, and checks it against the node's disk and its
 * earlier messages.
 */
import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import { type Hash, toHex } from '../../../basics/hex.ts';
import { balanceHash } from '../../../protocol/channel/balance-proof.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import { signingDigest } from '../../../protocol/messages/message-hash.ts';
import { type ContractMessage, isSigned, type Message } from '../../../protocol/messages/table.ts';
import type { Update } from '../../../protocol/messages/update.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';

type Options = {
  ledger: Pick<Ledger, 'hasSaid' | 'isInitiator' | 'isReturned' | 'ownExpiration'>;
  /** A node reveals a secret of a payment that it did not start, or that pays itself. */
  onSecret(who: string, secrethash: Hash): void;
};

/** Signed messages that are remembered in all. */
const KEPT = 50_000;
/** Requests that are remembered in all. */
const KEPT_REQUESTS = 50_000;

export function createWitness({ ledger, onSecret }: Options): Oracle {
  const digests = createRecent<string>(KEPT);
  const requested = createRecent<true>(KEPT_REQUESTS);
  const revealed = createRecent<true>(KEPT_REQUESTS);
  /** The newest confirmed block in each node's last commit, and in the one before. */
  const blocks = new Map<string, { last: bigint; before: bigint }>();

  /** A nonce of a channel is signed for one content only, whatever type of message has it. */
  function checkNonce(who: string, message: ContractMessage) {
    const key = `${who} ${message.channelId} ${message.nonce} ${message.tokenNetwork}`;
    const digest = `${message.type} ${toHex(signingDigest(message))}`;
    const before = digests.get(key);
    if (before !== undefined && before !== digest)
      throw new Violation(10, who, `${who} signs nonce ${message.nonce} twice: ${message.type}`);
    digests.set(key, digest);
  }

  function checkDisk(who: string, message: Update) {
    const channel = channelActorId(message);
    if (ledger.hasSaid(who, channel, message.nonce, balanceHash(message))) return;
    throw new Violation(19, who, `${who} sends nonce ${message.nonce}, which is not on its disk`);
  }

  function checkReveal(who: string, secrethash: Hash) {
    const key = `${who} ${secrethash}`;
    const isPayee = !ledger.isInitiator(who, secrethash) || ledger.isReturned(who, secrethash);
    if (isPayee) return onSecret(who, secrethash);
    if (!requested.get(key))
      throw new Violation(15, who, `${who} reveals a secret that nobody has asked for`);
    // A secret that was revealed in time may be revealed again.
    if (revealed.get(key)) return;
    const expiration = ledger.ownExpiration(who, secrethash);
    // The commit that decided to reveal may have read the next block already, so the one before counts.
    const read = blocks.get(who)?.before ?? 0n;
    if (expiration !== null && read >= expiration)
      throw new Violation(15, who, `${who} reveals ${secrethash}, whose lock has expired`);
    revealed.set(key, true);
  }

  function check(who: string, message: Message) {
    if (isSigned(message)) checkNonce(who, message);
    if (message.type === 'Update') checkDisk(who, message);
    if (message.type === 'RevealSecret') checkReveal(who, secrethashOf(message.secret));
  }

  return {
    commit(who, { block }) {
      blocks.set(who, { last: block, before: blocks.get(who)?.last ?? block });
    },
    hears(to, _, message) {
      if (message.type === 'SecretRequest') requested.set(`${to} ${message.secrethash}`, true);
    },
    sends(who, to, _, messages) {
      if (messages.length === 0)
        throw new Violation(31, who, `${who} sends ${to} what cannot be read`);
    },
    says: (who, _, message) => check(who, message),
  };
}
