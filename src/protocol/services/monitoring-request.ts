/** Asks monitoring services to bring a balance proof on chain if the partner closes without it. Protocol section 2.2. */
import type { Signature } from '../../basics/hex.ts';
import { type BalanceProof, balanceProofDigest, updateDigest } from '../channel/balance-proof.ts';
import {
  type Fields,
  fields,
  join,
  type Kind,
  named,
  readFields,
  type ValueOf,
  within,
} from '../messages/fields.ts';
import {
  address,
  bytes32,
  channelId,
  literal,
  positive,
  quotedSignature,
  tokenNetwork,
  uint256,
} from '../messages/kinds.ts';

/**
 * A signature that is kept byte for byte, since another signature covers it. 65 zero bytes, which stand for a proof
 * that nobody has signed, are refused.
 */
const givenSignature: Kind<Signature> = {
  ...quotedSignature,
  read(value, note) {
    const given = quotedSignature.read(value, note);
    return given === undefined || BigInt(given) === 0n ? undefined : given;
  },
};

const ofProof = fields({
  chainId: uint256,
  tokenNetwork,
  channelId,
  nonce: positive,
  balanceHash: bytes32,
  additionalHash: bytes32,
});
/** The partner's newest balance proof. In JSON its fields stand beside the partner's signature over it. */
const proof: Fields<{ proof: BalanceProof }> = {
  readInto(from, note, into): into is { proof: BalanceProof } {
    const value = readFields(ofProof, from, note);
    if (value !== undefined) into.proof = value;
    return value !== undefined;
  },
  write: (request) => ofProof.write(request.proof),
};

const request = join(
  within(
    'balance_proof',
    join(proof, fields({ proofSignature: named('signature', givenSignature) })),
  ),
  fields({
    nonClosingParticipant: address,
    /** The non-closing side's signature over the proof and the partner's signature: see `updateDigest`. */
    nonClosingSignature: givenSignature,
    /** In the service token's smallest unit. */
    rewardAmount: uint256,
    /** The contract that pays the reward. */
    monitoringService: named('monitoring_service_contract_address', address),
  }),
);
export type MonitoringRequest = ValueOf<typeof request>;
export const monitoringRequest = join(fields({ type: literal('RequestMonitoring') }), request);

/**
 * The digests under the two signatures inside a monitoring request. All three signatures have to be checked: the
 * reward proof alone does not bind the balance proof.
 */
export function monitoringDigests({ proof, proofSignature }: MonitoringRequest) {
  return {
    /** Under `proofSignature`, by the partner. */
    proof: balanceProofDigest(proof),
    /** Under `nonClosingSignature`, by the non-closing participant. */
    update: updateDigest(proof, proofSignature),
  };
}
