/** What a participant of a channel can do on chain behind its node's back. */

import { partnerProofOf } from '../../machines/channel/changes.ts';
import type { Address, Secret } from '../../src/basics/hex.ts';
import { ZERO_HASH } from '../../src/basics/hex.ts';
import { closeCalls } from '../../src/chain/queue/calls.ts';
import type { ChainCall } from '../../src/chain/queue/jobs.ts';
import { secretRegistryAbi } from '../../src/contracts/generated/SecretRegistry.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import type { PartnerProof } from '../../src/protocol/channel/balance-proof.ts';
import { closingDigest, EMPTY_SIGNATURE } from '../../src/protocol/channel/balance-proof.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { SentMessage } from '../../src/protocol/messages/table.ts';
import type { Signer } from '../../src/signer/signer.ts';
import type { Network } from './network.ts';

/** All balance proofs among what a side has sent, the oldest first; before them none at all. */
export function proofsIn(sent: readonly SentMessage[]): (PartnerProof | null)[] {
  const byNonce = new Map<bigint, PartnerProof>();
  for (const { message, signature } of sent)
    if ('locksroot' in message && signature !== null)
      byNonce.set(message.nonce, partnerProofOf(message, signature));
  return [null, ...[...byNonce.values()].toSorted((a, b) => Number(a.nonce - b.nonce))];
}

/** Closes a channel in the closer's name with a proof of its partner. */
export async function closeWith(
  network: Network,
  { closer, partner, channelId }: { closer: Signer; partner: Address; channelId: bigint },
  proof: PartnerProof | null,
): Promise<void> {
  const { tokenNetwork, chain } = network;
  const none = { balanceHash: ZERO_HASH, nonce: 0n, additionalHash: ZERO_HASH };
  const place = { chainId: chain.chainId, tokenNetwork, channelId };
  const digest = closingDigest(
    { ...place, ...(proof ?? none) },
    proof?.signature ?? EMPTY_SIGNATURE,
  );
  const tx = { type: 'tx.close', from: '', key: '', deadlineBlock: null, proof } as const;
  const calls = closeCalls(
    { ...tx, tokenNetwork, channelId, partner },
    { own: closer.address, closingSignature: closer.sign(digest) },
  );
  for (const call of calls) await send(network, call);
}

async function send({ clients }: Network, { to, data }: ChainCall): Promise<void> {
  await confirmed(clients, await clients.wallet.sendTransaction({ to, data }), 'the close');
}

export async function registerSecrets(network: Network, secrets: readonly Secret[]) {
  const { clients, contracts } = network;
  const hash = await clients.wallet.writeContract({
    address: contracts.secretRegistryAddress,
    abi: secretRegistryAbi,
    functionName: 'registerSecretBatch',
    args: [secrets],
  });
  await confirmed(clients, hash, 'the registration');
}

/** Whether the secret stands on chain. */
export async function isRegistered({ chain, contracts }: Network, secret: Secret) {
  const block = await chain.client.readContract({
    address: contracts.secretRegistryAddress,
    abi: secretRegistryAbi,
    functionName: 'getSecretRevealBlockHeight',
    args: [secrethashOf(secret)],
  });
  return block > 0n;
}
