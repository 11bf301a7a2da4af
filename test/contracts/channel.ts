/** A channel between two of the chain's accounts, driven step by step. Each step returns its outcome. */
import { type Hex, parseEventLogs } from 'viem';
import type { Address } from '../../src/basics/hex.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { type Chain, done, type Outcome, toNetwork } from './chain.ts';
import {
  balanceHash,
  NO_PROOF,
  NO_SIGNATURE,
  type Place,
  type Proof,
  type Signer,
  signClose,
  signProof,
  signUpdate,
  signWithdraw,
  type Transfers,
} from './sign.ts';

/** Mints for the payer and lets the network take exactly that much. */
export async function fund(chain: Chain, payer: Address, amount: bigint): Promise<void> {
  const token = { to: chain.token, abi: customTokenAbi, from: payer } as const;
  done(await chain.send({ ...token, functionName: 'mint', args: [amount] }));
  done(await chain.send({ ...token, functionName: 'approve', args: [chain.network, amount] }));
}

export function balanceOf(chain: Chain, owner: Address): Promise<bigint> {
  return chain.clients.public.readContract({
    address: chain.token,
    abi: customTokenAbi,
    functionName: 'balanceOf',
    args: [owner],
  });
}

/** Opens a channel and returns where it is. */
export async function open(
  chain: Chain,
  one: Signer,
  two: Signer,
  settleTimeout = 10n,
): Promise<Place> {
  const outcome = await chain.send({
    ...toNetwork(chain),
    functionName: 'openChannel',
    args: [one.address, two.address, settleTimeout],
  });
  const [opened] = parseEventLogs({
    abi: tokenNetworkAbi,
    eventName: 'ChannelOpened',
    logs: done(outcome).logs,
  });
  if (opened === undefined) throw new Error('no ChannelOpened event');
  const { network, chainId } = chain;
  return { network, chainId, id: opened.args.channel_identifier };
}

export function deposit(
  chain: Chain,
  place: Place,
  owner: Signer,
  partner: Signer,
  total: bigint,
): Promise<Outcome> {
  return chain.send({
    ...toNetwork(chain),
    from: owner.address,
    functionName: 'setTotalDeposit',
    args: [place.id, owner.address, total, partner.address],
  });
}

/** Deposits what the owner is given for it. */
export async function fundAndDeposit(
  chain: Chain,
  place: Place,
  owner: Signer,
  partner: Signer,
  total: bigint,
): Promise<void> {
  await fund(chain, owner.address, total);
  done(await deposit(chain, place, owner, partner, total));
}

export type WithdrawArgs = {
  participant: Address;
  total_withdraw: bigint;
  expiration_block: bigint;
  participant_signature: Hex;
  partner_signature: Hex;
};

/** A withdrawal signed by both for `place`. */
export async function consent(
  place: Place,
  owner: Signer,
  partner: Signer,
  total: bigint,
  expiration: bigint,
): Promise<WithdrawArgs> {
  const withdrawal = { participant: owner.address, total, expiration };
  return {
    participant: owner.address,
    total_withdraw: total,
    expiration_block: expiration,
    participant_signature: await signWithdraw(owner, place, withdrawal),
    partner_signature: await signWithdraw(partner, place, withdrawal),
  };
}

/** Sends setTotalWithdraw for channel `id`. */
export function withdraw(chain: Chain, id: bigint, signed: WithdrawArgs): Promise<Outcome> {
  return chain.send({
    ...toNetwork(chain),
    functionName: 'setTotalWithdraw',
    args: [
      id,
      signed.participant,
      signed.total_withdraw,
      signed.expiration_block,
      signed.participant_signature,
      signed.partner_signature,
    ],
  });
}

/** What closing or updating needs besides the channel: the proof and both signatures. */
export type Evidence = { proof: Proof; senderSignature: Hex; counterSignature: Hex };

/** Evidence for a close by `closer` with what `partner` sent; nothing sent when `proof` is absent. */
export async function closeEvidence(
  place: Place,
  closer: Signer,
  partner: Signer,
  proof: Proof = NO_PROOF,
): Promise<Evidence> {
  const sent = proof.nonce > 0n;
  const senderSignature = sent ? await signProof(partner, place, proof) : NO_SIGNATURE;
  return closeEvidenceWith(place, closer, { proof, senderSignature });
}

export async function updateEvidence(
  place: Place,
  closer: Signer,
  updater: Signer,
  proof: Proof,
): Promise<Evidence> {
  const senderSignature = await signProof(closer, place, proof);
  return updateEvidenceWith(place, updater, { proof, senderSignature });
}

/** The same proof and sender's signature, signed anew by the closing participant for `place`. */
export async function closeEvidenceWith(
  place: Place,
  closer: Signer,
  { proof, senderSignature }: Omit<Evidence, 'counterSignature'>,
): Promise<Evidence> {
  const counterSignature = await signClose(closer, place, proof, senderSignature);
  return { proof, senderSignature, counterSignature };
}

/** The same proof and sender's signature, signed anew by the non-closing participant for `place`. */
export async function updateEvidenceWith(
  place: Place,
  updater: Signer,
  { proof, senderSignature }: Omit<Evidence, 'counterSignature'>,
): Promise<Evidence> {
  const counterSignature = await signUpdate(updater, place, proof, senderSignature);
  return { proof, senderSignature, counterSignature };
}

/** Sends closeChannel for channel `id`. */
export function close(
  chain: Chain,
  id: bigint,
  closer: Signer,
  partner: Signer,
  { proof, senderSignature, counterSignature }: Evidence,
): Promise<Outcome> {
  const { balanceHash: hash, nonce, additionalHash } = proof;
  return chain.send({
    ...toNetwork(chain),
    functionName: 'closeChannel',
    args: [
      id,
      partner.address,
      closer.address,
      hash,
      nonce,
      additionalHash,
      senderSignature,
      counterSignature,
    ],
  });
}

/** Sends updateNonClosingBalanceProof for channel `id`. */
export function update(
  chain: Chain,
  id: bigint,
  closer: Signer,
  updater: Signer,
  { proof, senderSignature, counterSignature }: Evidence,
): Promise<Outcome> {
  const { balanceHash: hash, nonce, additionalHash } = proof;
  return chain.send({
    ...toNetwork(chain),
    functionName: 'updateNonClosingBalanceProof',
    args: [
      id,
      closer.address,
      updater.address,
      hash,
      nonce,
      additionalHash,
      senderSignature,
      counterSignature,
    ],
  });
}

export type Sent = Transfers & { address: Address };

/** Sends settleChannel with the sides in the given order. */
export function settle(chain: Chain, id: bigint, one: Sent, two: Sent): Promise<Outcome> {
  return chain.send({
    ...toNetwork(chain),
    functionName: 'settleChannel',
    args: [
      id,
      one.address,
      one.transferred,
      one.locked,
      one.locksroot,
      two.address,
      two.transferred,
      two.locked,
      two.locksroot,
    ],
  });
}

export function unlock(
  chain: Chain,
  id: bigint,
  receiver: Address,
  sender: Address,
  locks: Hex,
): Promise<Outcome> {
  return chain.send({
    ...toNetwork(chain),
    functionName: 'unlock',
    args: [id, receiver, sender, locks],
  });
}

/** Whether a balance proof of these transfers can go on chain: its balance hash must not be zero. */
export function hasProof(transfers: Transfers): boolean {
  return BigInt(balanceHash(transfers)) !== 0n;
}

/** [settle block (the timeout while opened), state]. */
export function info(chain: Chain, id: bigint, one: Signer, two: Signer) {
  return chain.clients.public.readContract({
    address: chain.network,
    abi: tokenNetworkAbi,
    functionName: 'getChannelInfo',
    args: [id, one.address, two.address],
  });
}

/** What is stored of `participant` as sender. */
export async function participantInfo(chain: Chain, id: bigint, owner: Signer, partner: Signer) {
  const [deposited, withdrawn, isCloser, hash, nonce, locksroot, locked] =
    await chain.clients.public.readContract({
      address: chain.network,
      abi: tokenNetworkAbi,
      functionName: 'getChannelParticipantInfo',
      args: [id, owner.address, partner.address],
    });
  return { deposited, withdrawn, isCloser, balanceHash: hash, nonce, locksroot, locked };
}
