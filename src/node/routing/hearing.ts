/**
 * Hears what participants state about their channels, for this node's copies of token networks. Whoever is on the broker
 * can broadcast anything: what it costs to read it, and to check who signed it, is bounded. Honest nodes repeat what
 * they state.
 */
import { type Address, fromHex } from '../../basics/hex.ts';
import { createTokenBucket } from '../../basics/token-bucket.ts';
import type { SignedServiceMessage } from '../../protocol/services/service-message-types.ts';
import { ownReader, type ServiceMessageReader } from '../../protocol/services/service-messages.ts';
import type { Statement } from '../../routing/waiting-room.ts';
import type { NetworkCopy } from './network-copy.ts';
import { createStatementIntake } from './statement-intake.ts';

const MIB = 1_048_576;
type Limit = { most: number; perSecond: number };
type Limits = {
  /** Bytes that are read. A statement has 600 of them. */
  read: Limit;
  /** Signatures that are checked, of statements that could change something; each costs arithmetic on the curve. */
  checked: Limit;
  /** Of these, about channels that are not known yet: anybody can think some up. */
  unknown: Limit;
};
const LIMITS: Limits = {
  read: { most: 8 * MIB, perSecond: 2 * MIB },
  checked: { most: 10_000, perSecond: 1_000 },
  unknown: { most: 5_000, perSecond: 200 },
};
const NONE: Limit = { most: Number.POSITIVE_INFINITY, perSecond: 0 };
/** Where nobody floods, and one copy hears what thousands of nodes say at once. */
export const NO_LIMITS: Limits = { read: NONE, checked: NONE, unknown: NONE };

/** `copyFor`: the copy that the statement concerns; null when this node keeps none. */
type Options = {
  chainId: bigint;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  copyFor(statement: Statement): Pick<NetworkCopy, 'isWanted' | 'knows' | 'announced'> | null;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
  /** Absent: everything is read here. */
  reader?: ServiceMessageReader | undefined;
  limits?: Limits;
};

/** Takes payloads from anybody; statements of this chain that their participant has signed reach their copy. */
export function createHearing(options: Options) {
  const { chainId, recover, copyFor, elapsed: now, reader = ownReader, limits = LIMITS } = options;
  const read = createTokenBucket({ ...limits.read, now });
  const checked = createTokenBucket({ ...limits.checked, now });
  const unknown = createTokenBucket({ ...limits.unknown, now });

  function hear({ message, signature }: SignedServiceMessage): void {
    if (message.type === 'RequestMonitoring' || message.chainId !== chainId) return;
    const copy = copyFor(message);
    if (copy === null || !copy.isWanted(message)) return;
    if (!(copy.knows(message) || unknown.take()) || !checked.take()) return;
    const signedBy = recover(reader.digestOf(message), fromHex(signature));
    if (signedBy === message.updatingParticipant) copy.announced(message);
  }
  const take = createStatementIntake({ now, hear, messagesIn: reader.messagesIn });

  return (payload: Uint8Array): void => {
    if (read.take(payload.length)) take(payload);
  };
}
