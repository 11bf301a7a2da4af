/** What participants sign, packed here once more so that the contracts are not tested with our node's code. */
import { concat, encodeAbiParameters, encodePacked, type Hex, keccak256 } from 'viem';
import type { HDAccount } from 'viem/accounts';
import type { Address } from '../../src/basics/hex.ts';

export type Signer = Pick<HDAccount, 'address' | 'signMessage'>;

/** Where a signature is valid: one channel of one network on one chain. */
export type Place = { network: Address; chainId: bigint; id: bigint };

export type Lock = { expiration: bigint; amount: bigint; secrethash: Hex };

/** A balance proof as it goes on chain. */
export type Proof = { balanceHash: Hex; nonce: bigint; additionalHash: Hex };

export const NO_HASH: Hex = `0x${'00'.repeat(32)}`;
export const NO_SIGNATURE: Hex = `0x${'00'.repeat(65)}`;
export const NO_PROOF: Proof = { balanceHash: NO_HASH, nonce: 0n, additionalHash: NO_HASH };
export const NO_LOCKS = keccak256('0x');

const sign = (signer: Signer, raw: Hex) => signer.signMessage({ message: { raw } });

export function packLocks(locks: readonly Lock[]): Hex {
  const one = ({ expiration, amount, secrethash }: Lock) =>
    encodePacked(['uint256', 'uint256', 'bytes32'], [expiration, amount, secrethash]);
  return locks.length === 0 ? '0x' : concat(locks.map(one));
}

export type Transfers = { transferred: bigint; locked: bigint; locksroot: Hex };

export const NO_TRANSFERS: Transfers = { transferred: 0n, locked: 0n, locksroot: NO_LOCKS };

/** Zero for a participant who sent nothing, as off-chain balance proofs have it. */
export function balanceHash({ transferred, locked, locksroot }: Transfers): Hex {
  if (transferred === 0n && locked === 0n && locksroot === NO_LOCKS) return NO_HASH;
  const types = [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bytes32' }] as const;
  return keccak256(encodeAbiParameters(types, [transferred, locked, locksroot]));
}

export function proofOf(transfers: Transfers, nonce: bigint): Proof {
  return { balanceHash: balanceHash(transfers), nonce, additionalHash: keccak256('0x01') };
}

function packProof(place: Place, type: bigint, proof: Proof): Hex {
  return encodePacked(
    ['address', 'uint256', 'uint256', 'uint256', 'bytes32', 'uint256', 'bytes32'],
    [
      place.network,
      place.chainId,
      type,
      place.id,
      proof.balanceHash,
      proof.nonce,
      proof.additionalHash,
    ],
  );
}

/** The sender's signature under its own balance proof. */
export function signProof(sender: Signer, place: Place, proof: Proof): Promise<Hex> {
  return sign(sender, packProof(place, 1n, proof));
}

/** The closing participant's signature over the partner's signed balance proof. */
export function signClose(closer: Signer, place: Place, proof: Proof, signature: Hex) {
  return sign(closer, concat([packProof(place, 1n, proof), signature]));
}

/** The non-closing participant's signature over the closing one's signed balance proof. */
export function signUpdate(updater: Signer, place: Place, proof: Proof, signature: Hex) {
  return sign(updater, concat([packProof(place, 2n, proof), signature]));
}

export type Withdrawal = { participant: Address; total: bigint; expiration: bigint };

export function signWithdraw(signer: Signer, place: Place, withdrawal: Withdrawal): Promise<Hex> {
  const { participant, total, expiration } = withdrawal;
  return sign(
    signer,
    encodePacked(
      ['address', 'uint256', 'uint256', 'uint256', 'address', 'uint256', 'uint256'],
      [place.network, place.chainId, 3n, place.id, participant, total, expiration],
    ),
  );
}

export type Iou = {
  oneToN: Address;
  chainId: bigint;
  receiver: Address;
  amount: bigint;
  expiration: bigint;
};

export function signIou(sender: Signer, iou: Iou): Promise<Hex> {
  return sign(
    sender,
    encodePacked(
      ['address', 'uint256', 'uint256', 'address', 'address', 'uint256', 'uint256'],
      [iou.oneToN, iou.chainId, 5n, sender.address, iou.receiver, iou.amount, iou.expiration],
    ),
  );
}

export type RewardPromise = {
  monitoringService: Address;
  chainId: bigint;
  network: Address;
  nonClosingSignature: Hex;
  amount: bigint;
};

export function signReward(node: Signer, reward: RewardPromise): Promise<Hex> {
  const { monitoringService, chainId, network, nonClosingSignature, amount } = reward;
  return sign(
    node,
    encodePacked(
      ['address', 'uint256', 'uint256', 'address', 'address', 'bytes', 'uint256'],
      [monitoringService, chainId, 6n, network, node.address, nonClosingSignature, amount],
    ),
  );
}
