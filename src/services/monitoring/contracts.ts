/**
 * What the monitoring service reads from the contracts, and the calls it sends to them. Source: protocol 5.3 to 5.8.
 */
import { concat, encodeFunctionData, keccak256, numberToHex, parseAbi } from 'viem';
import type { Address, Hash } from '../../basics/hex.ts';
import { serviceRegistryAbi, tokenNetworkAbi, userDepositAbi } from '../../chain/abi.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { StoredCall } from '../base/transactions.ts';
import type { ClosedChannel, Request } from './book.ts';

const monitoringAbi = parseAbi([
  'function monitor(address closing, address nonClosing, bytes32 balanceHash, uint256 nonce, bytes32 additionalHash, bytes closingSignature, bytes nonClosingSignature, uint256 rewardAmount, address tokenNetwork, bytes rewardProofSignature)',
  'function claimReward(uint256 channelId, address tokenNetwork, address closing, address nonClosing) returns (bool)',
  'event NewBalanceProofReceived(address tokenNetwork, uint256 channelId, uint256 reward, uint256 indexed nonce, address indexed service, address indexed owner)',
  'event RewardClaimed(address indexed service, uint256 amount, bytes32 indexed rewardIdentifier)',
]);

/** The contract's number for a channel that is closed and not settled. */
const CLOSED = 2;

/** The state of the chain at the newest block. */
export type ChainView = {
  isClosed: boolean;
  /** The nonce of the closing side's balance proof on chain; 0 when there is none. */
  nonce: bigint;
  /** The owner's user deposit: all of it, and without what is planned to be withdrawn. */
  deposit: bigint;
  effectiveDeposit: bigint;
  /** Whether the service is registered, without which it may not act. */
  isRegistered: boolean;
};
export type MonitoringContracts = {
  userDeposit: Address;
  monitoringService: Address;
  serviceRegistry: Address;
};

/** Rejects with viem's error. */
export async function chainViewOf(
  client: ChainClient,
  { userDeposit, serviceRegistry }: MonitoringContracts,
  { tokenNetwork, channelId, closing, nonClosing }: ClosedChannel,
  service: Address,
): Promise<ChainView> {
  const network = { address: tokenNetwork, abi: tokenNetworkAbi } as const;
  const deposits = { address: userDeposit, abi: userDepositAbi, args: [nonClosing] } as const;
  const pair = [channelId, closing, nonClosing] as const;
  const [[, state], side, deposit, effectiveDeposit, isRegistered] = await Promise.all([
    client.readContract({ ...network, functionName: 'getChannelInfo', args: pair }),
    client.readContract({ ...network, functionName: 'getChannelParticipantInfo', args: pair }),
    client.readContract({ ...deposits, functionName: 'balances' }),
    client.readContract({ ...deposits, functionName: 'effectiveBalance' }),
    client.readContract({
      address: serviceRegistry,
      abi: serviceRegistryAbi,
      functionName: 'hasValidRegistration',
      args: [service],
    }),
  ]);
  return {
    isClosed: state === CLOSED,
    nonce: side[4],
    deposit,
    effectiveDeposit,
    isRegistered,
  };
}

export function monitorCall(to: Address, close: ClosedChannel, request: Request): StoredCall {
  const data = encodeFunctionData({
    abi: monitoringAbi,
    functionName: 'monitor',
    args: [
      close.closing,
      close.nonClosing,
      request.balanceHash,
      request.nonce,
      request.additionalHash,
      request.proofSignature,
      request.nonClosingSignature,
      request.reward,
      close.tokenNetwork,
      request.rewardSignature,
    ],
  });
  return { kind: 'monitor', to, data };
}

export function claimCall(to: Address, close: ClosedChannel): StoredCall {
  const { channelId, tokenNetwork, closing, nonClosing } = close;
  const data = encodeFunctionData({
    abi: monitoringAbi,
    functionName: 'claimReward',
    args: [channelId, tokenNetwork, closing, nonClosing],
  });
  return { kind: 'claimReward', to, data };
}

/**
 * Whether another service brought a later balance proof and so gets the reward. If the owner brought a later one
 * itself, the reward stays with this service.
 */
export async function isReplaced(
  client: ChainClient,
  { monitoringService }: MonitoringContracts,
  { channelId, tokenNetwork, nonClosing, closeBlock, nonce }: ClosedChannel,
  service: Address,
): Promise<boolean> {
  const brought = await client.getContractEvents({
    address: monitoringService,
    abi: monitoringAbi,
    eventName: 'NewBalanceProofReceived',
    args: { owner: nonClosing },
    fromBlock: closeBlock,
  });
  return brought.some(
    ({ args }) =>
      args.tokenNetwork === tokenNetwork &&
      args.channelId === channelId &&
      args.service !== service &&
      (args.nonce ?? 0n) > nonce,
  );
}

/** The transaction that paid the reward to `service`, whoever sent it; null when it was not paid. */
export async function findClaim(
  client: ChainClient,
  { monitoringService }: MonitoringContracts,
  { channelId, tokenNetwork, settleBlock }: ClosedChannel,
  service: Address,
): Promise<Hash | null> {
  const rewardIdentifier = keccak256(concat([numberToHex(channelId, { size: 32 }), tokenNetwork]));
  const [paid] = await client.getContractEvents({
    address: monitoringService,
    abi: monitoringAbi,
    eventName: 'RewardClaimed',
    args: { service, rewardIdentifier },
    fromBlock: settleBlock,
  });
  return paid?.transactionHash ?? null;
}
