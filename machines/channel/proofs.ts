/**
 * What is kept of a signed step of either side: the proof that can be brought on chain, and the row in the database.
 */

import type { Hex } from '../../src/basics/hex.ts';
import type { PartnerProof } from '../../src/protocol/channel/balance-proof.ts';
import { balanceHash } from '../../src/protocol/channel/balance-proof.ts';
import type { ChannelEnd } from '../../src/protocol/channel/channel-end.ts';
import { proofAmounts } from '../../src/protocol/channel/channel-end.ts';
import { additionalHash } from '../../src/protocol/messages/message-hash.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import type { RecordProof, SignedChange } from '../effects.ts';

/** The parts of an accepted message that are needed to bring its balance proof on chain. */
export function partnerProofOf(message: Update, signature: Hex): PartnerProof {
  return {
    nonce: message.nonce,
    balanceHash: balanceHash(message),
    additionalHash: additionalHash(message),
    signature,
  };
}

/** The row that keeps one signed step of either side. */
export function proofRecord(
  channel: string,
  end: ChannelEnd,
  changes: readonly SignedChange[],
  proof: PartnerProof | null,
): RecordProof {
  const amounts = proofAmounts(end);
  return {
    type: 'record.proof',
    channel,
    side: proof === null ? 'own' : 'partner',
    ...amounts,
    balanceHash: proof?.balanceHash ?? balanceHash(amounts),
    changes,
    additionalHash: proof?.additionalHash ?? null,
    signature: proof?.signature ?? null,
  };
}
