/** Checks that the endpoint serves the chain and the contracts with which a node should work. */

import { MAX_UINT256 } from '../basics/amount.ts';
import type { Address } from '../basics/hex.ts';
import { type ChainConnection, connectChain } from '../chain/client.ts';
import { type ChainReads, createReads } from '../chain/reads.ts';
import type { ContractAddresses, NodeSettings } from '../node/runtime/parts.ts';
import { refusal, type Started, type StartRefusal, started } from './base/refusal.ts';
import type { KnownContracts } from './contracts-file.ts';

export type CheckedChain = {
  connection: ChainConnection;
  reads: ChainReads;
  contracts: ContractAddresses;
  depositLimits: NodeSettings['depositLimits'];
};
type ChainRequest = {
  rpcUrl: string;
  /** The required chain id; null accepts the endpoint's. */
  networkId: bigint | null;
  contracts: KnownContracts;
  onOtherChain: (chainId: bigint) => void;
};

/** For token networks that this node registers: 1,000 and 1,000,000 whole tokens of 18 decimals. */
const LIMITS = { participantLimit: 10n ** 21n, networkLimit: 10n ** 24n };
const NO_LIMITS = { participantLimit: MAX_UINT256, networkLimit: MAX_UINT256 };

/** Connects and checks; after a refusal the connection is closed. */
export async function checkChain(request: ChainRequest): Promise<Started<CheckedChain>> {
  const { rpcUrl, networkId, onOtherChain } = request;
  const connected = await connectChain({ rpcUrl, onOtherChain });
  if (!connected.ok) {
    const what = connected.detail ?? "the chain's endpoint does not answer";
    return refusal('chain_unavailable', `${what}: check --eth-rpc-endpoint`);
  }
  const connection = connected.value;
  const { chainId } = connection;
  const checked =
    networkId === null || networkId === chainId
      ? await checkContracts(connection, request.contracts)
      : refusal(
          'wrong_chain',
          `the endpoint serves chain ${chainId}, not ${networkId}: check --eth-rpc-endpoint and --network-id`,
        );
  if (!checked.ok) connection.stop();
  return checked;
}

/** Checks that the contracts are on this chain and know each other. */
export async function checkContracts(
  connection: ChainConnection,
  known: KnownContracts,
): Promise<Started<CheckedChain>> {
  const registry = known.tokenNetworkRegistryAddress;
  const reads = createReads({ client: connection.client, registry });
  const facts = await reads.tokenFacts(registry);
  if (!facts.ok) return unanswered(facts.detail);
  if (!facts.value.hasCode) {
    const what = `there is no contract at ${registry} on chain ${connection.chainId}`;
    return refusal('wrong_contracts', `${what}: check --contracts, or deploy the contracts first`);
  }
  const [secrets, limits] = await Promise.all([reads.secretRegistryOf(), reads.registryLimits()]);
  if (!secrets.ok || !limits.ok) {
    const what = `the contract at ${registry} does not answer as a token network registry`;
    return refusal('wrong_contracts', `${what}: check --contracts`);
  }
  const wrong = secretRegistryRefusal(known.secretRegistryAddress, secrets.value);
  if (wrong !== null) return wrong;
  const { deployBlock: _, ...addresses } = known;
  return started({
    connection,
    reads,
    contracts: { ...addresses, secretRegistryAddress: secrets.value },
    depositLimits: limits.value.maxTokenNetworks === MAX_UINT256 ? NO_LIMITS : LIMITS,
  });
}

function secretRegistryRefusal(given: Address | null, used: Address): StartRefusal | null {
  if (given === null || given === used) return null;
  const what = `the registry works with the secret registry ${used}, not ${given}`;
  return refusal('wrong_contracts', `${what}: correct secret_registry_address in --contracts`);
}

function unanswered(detail = 'the chain does not answer'): StartRefusal {
  return refusal('chain_unavailable', `${detail}: check --eth-rpc-endpoint`);
}
