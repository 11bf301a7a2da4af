/** Closes a channel, and takes the other side's balance proof. Source: ChannelClosing.sol. */

import { type Address, fromHex, type Hash, type Hex, ZERO_HASH } from '../../../basics/hex.ts';
import { personalHash } from '../../../protocol/hash.ts';
import { pack } from '../../../protocol/wire/packing.ts';
import { eventTopic, type Input, words } from './abi.ts';
import { type ChannelBase, MAX_NONCE, nonceOf, withNonce } from './channel-base.ts';
import { emit, isHigher, type Methods, NOTHING, signerOf } from './contract.ts';
import { demand } from './revert.ts';

const CLOSED = eventTopic('ChannelClosed(uint256,address,uint256,bytes32)');
const UPDATED = eventTopic('NonClosingBalanceProofUpdated(uint256,address,uint256,bytes32)');
const BALANCE_PROOF = 1n;
const BALANCE_PROOF_UPDATE = 2n;

/** `sender`: the sender of the transfers, who signed the proof first; `other`: who signed that signature. */
export type Evidence = {
  id: bigint;
  sender: Address;
  other: Address;
  balanceHash: Hash;
  nonce: bigint;
  additionalHash: Hash;
  signature: Hex;
  counterSignature: Hex;
};

export function closing(base: ChannelBase) {
  const { world, address, channels, commitments } = base;

  /** The 212 bytes with which the signed data of both kinds of balance proof signature begins. */
  function packed(type: bigint, { id, balanceHash, nonce, additionalHash }: Evidence): Uint8Array {
    return pack([
      ['address', address],
      ['u256', world.chainId],
      ['u256', type],
      ['u256', id],
      ['bytes32', balanceHash],
      ['u256', nonce],
      ['bytes32', additionalHash],
    ]);
  }
  function signerOfProof(evidence: Evidence): Address {
    return signerOf(world, personalHash(packed(BALANCE_PROOF, evidence)), evidence.signature);
  }
  function counterSigner(type: bigint, evidence: Evidence): Address {
    const signature = fromHex(evidence.signature);
    demand(signature.length === 65, 'TN: sig length invalid');
    const bytes = Buffer.concat([packed(type, evidence), signature]);
    return signerOf(world, personalHash(bytes), evidence.counterSignature);
  }

  function close(evidence: Evidence): void {
    const { id, sender, other: closer, balanceHash, nonce } = evidence;
    demand(id === base.identifierOf(sender, closer), 'TN/close: channel id mismatch');
    const channel = channels.get(id.toString());
    demand(channel?.state === 'opened', 'TN/close: channel not open');
    if (channel === null) return;
    const signer = counterSigner(BALANCE_PROOF, evidence);
    demand(signer === closer, 'TN/close: invalid closing sig');
    const isSenderHigher = isHigher(sender, closer);
    const settle = channel.settle + world.block.number;
    let closed = { ...channel, state: 'closed', settle, closedByHigher: !isSenderHigher } as const;
    if (nonce > 0n) {
      demand(signerOfProof(evidence) === sender, 'TN/close: invalid non-closing sig');
      demand(nonce <= MAX_NONCE, 'TN: nonce too large');
      closed = { ...closed, ...noncesOf(withNonce(closed, isSenderHigher, nonce)) };
      commitments.set(base.key(id, sender, closer), balanceHash);
    }
    channels.set(id.toString(), closed);
    emit(world, address, [CLOSED, id, closer, nonce], words(balanceHash));
  }

  function update(evidence: Evidence): void {
    const { id, sender: closer, other, balanceHash, nonce } = evidence;
    demand(id === base.identifierOf(closer, other), 'TN/update: channel id mismatch');
    demand(balanceHash !== ZERO_HASH, 'TN/update: balance hash is zero');
    demand(nonce > 0n, 'TN/update: nonce is zero');
    demand(nonce <= MAX_NONCE, 'TN: nonce too large');
    const channel = channels.get(id.toString());
    demand(channel?.state === 'closed', 'TN/update: channel not closed');
    if (channel === null) return;
    const signer = counterSigner(BALANCE_PROOF_UPDATE, evidence);
    demand(signer === other, 'TN/update: invalid non-closing sig');
    demand(signerOfProof(evidence) === closer, 'TN/update: invalid closing sig');
    const isCloserHigher = isHigher(closer, other);
    const isCloser = channel.closedByHigher === isCloserHigher;
    demand(isCloser, 'TN/update: incorrect signature order');
    demand(nonce > nonceOf(channel, isCloserHigher), 'TN: nonce reused');
    channels.set(id.toString(), withNonce(channel, isCloserHigher, nonce));
    commitments.set(base.key(id, closer, other), balanceHash);
    emit(world, address, [UPDATED, id, closer, nonce], words(balanceHash));
  }

  const methods: Methods = {
    'closeChannel(uint256,address,address,bytes32,uint256,bytes32,bytes,bytes)': (_, input) => {
      close(evidenceIn(input));
      return NOTHING;
    },
    'updateNonClosingBalanceProof(uint256,address,address,bytes32,uint256,bytes32,bytes,bytes)': (
      _,
      input,
    ) => {
      update(evidenceIn(input));
      return NOTHING;
    },
  };
  return { methods, update };
}

function noncesOf({ lowerNonce, higherNonce }: { lowerNonce: bigint; higherNonce: bigint }) {
  return { lowerNonce, higherNonce };
}

/** Both functions take the sender of the transfers first. */
function evidenceIn(input: Input): Evidence {
  return {
    id: input.uint(),
    sender: input.address(),
    other: input.address(),
    balanceHash: input.hash(),
    nonce: input.uint(),
    additionalHash: input.hash(),
    signature: input.bytes(),
    counterSignature: input.bytes(),
  };
}
