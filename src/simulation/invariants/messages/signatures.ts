/**
 * Checks that the contract would accept every step that a node accepts from its partner: signed by the partner, for
 * this channel of this network on this chain. The signed data is built here as the contract does it, without the
 * node's own functions, which are what is tested.
 */

import type { RecordProof } from '../../../../machines/effects.ts';
import { type Address, fromHex, type Hash, toHex, ZERO_HASH } from '../../../basics/hex.ts';
import type { ChannelPlace } from '../../../protocol/channel/canonical-id.ts';
import { keccak256, personalHash } from '../../../protocol/hash.ts';
import { pack } from '../../../protocol/wire/packing.ts';
import { Violation } from '../violation.ts';

type Options = {
  chainId: bigint;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  /** Null: not known. */
  partnerOf(who: string, channel: string): Address | null;
  /** The channel with this actor id. */
  placeOf(channel: string): ChannelPlace | null;
};

const BALANCE_PROOF = 1n;
const EMPTY = toHex(keccak256(new Uint8Array(0)));

export function createSignatureCheck({ chainId, recover, partnerOf, placeOf }: Options) {
  /** An honest node has written this step. Throws the violation that it finds. */
  return (who: string, proof: RecordProof): void => {
    const { channel, side, nonce, balanceHash, additionalHash, signature } = proof;
    if (balanceHash !== hashOf(proof))
      throw new Violation(12, who, `step ${nonce} of ${who} is for other amounts: ${channel}`);
    if (side === 'own' || additionalHash === null || signature === null) return;
    const place = placeOf(channel);
    const partner = partnerOf(who, channel);
    if (place === null || partner === null) return;
    const packed = pack([
      ['address', place.tokenNetwork],
      ['u256', chainId],
      ['u256', BALANCE_PROOF],
      ['u256', place.channelId],
      ['bytes32', balanceHash],
      ['u256', nonce],
      ['bytes32', additionalHash],
    ]);
    if (recover(personalHash(packed), fromHex(signature)) === partner) return;
    throw new Violation(14, who, `${who} takes a step ${nonce} that no contract takes: ${channel}`);
  };
}

function hashOf({ transferredAmount, lockedAmount, locksroot }: RecordProof): Hash {
  if (transferredAmount === 0n && lockedAmount === 0n && locksroot === EMPTY) return ZERO_HASH;
  const fields = [
    ['u256', transferredAmount],
    ['u256', lockedAmount],
    ['bytes32', locksroot],
  ] as const;
  return toHex(keccak256(pack(fields)));
}
