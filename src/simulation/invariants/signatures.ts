/**
 * Whether what a node takes of its partner would be taken by the contract, too: signed by the partner, for this
 * channel of this network on this chain. The contract's own words, so that it is not judged by what it is to judge.
 */
import type { RecordProof } from '../../../machines/effects.ts';
import { keccak256, personalHash } from '../../protocol/hash.ts';
import { type Address, fromHex, type Hash, toHex, ZERO_HASH } from '../../protocol/hex.ts';
import { pack } from '../../protocol/packing.ts';
import { Violation } from './violation.ts';

type Options = {
  chainId: bigint;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  /** Null: not known. */
  partnerOf(who: string, channel: string): Address | null;
  /** Of its actor's id. */
  placeOf(channel: string): { tokenNetwork: Address; channelId: bigint } | null;
};

const BALANCE_PROOF = 1n;
const EMPTY = toHex(keccak256(new Uint8Array(0)));

export function createSignatureCheck({ chainId, recover, partnerOf, placeOf }: Options) {
  /** An honest machine has written this step. Throws the violation that it is. */
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
