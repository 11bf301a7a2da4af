/**
 * The parts of the contracts' interfaces that the node needs, as generation 0.40 declares them. Written by hand, so
 * that a node also runs against the original deployment, whatever is added to our own contracts.
 */
import { parseAbi } from 'viem';
import { channelEventsAbi } from '../contracts/channel-events.ts';

export const registryAbi = parseAbi([
  'function createERC20TokenNetwork(address token, uint256 participantLimit, uint256 networkLimit) returns (address)',
  'function token_to_token_networks(address token) view returns (address)',
  'function settlement_timeout_min() view returns (uint256)',
  'function settlement_timeout_max() view returns (uint256)',
  'function max_token_networks() view returns (uint256)',
  'function token_network_created() view returns (uint256)',
  'function secret_registry_address() view returns (address)',
  'event TokenNetworkCreated(address indexed token, address indexed tokenNetwork)',
]);

const tokenNetworkFunctions = parseAbi([
  'function openChannel(address participant1, address participant2, uint256 settleTimeout) returns (uint256)',
  'function openChannelWithDeposit(address participant1, address participant2, uint256 settleTimeout, uint256 totalDeposit) returns (uint256)',
  'function setTotalDeposit(uint256 channelId, address participant, uint256 totalDeposit, address partner)',
  'function setTotalWithdraw(uint256 channelId, address participant, uint256 totalWithdraw, uint256 expiration, bytes participantSignature, bytes partnerSignature)',
  'function closeChannel(uint256 channelId, address nonClosing, address closing, bytes32 balanceHash, uint256 nonce, bytes32 additionalHash, bytes nonClosingSignature, bytes closingSignature)',
  'function updateNonClosingBalanceProof(uint256 channelId, address closing, address nonClosing, bytes32 balanceHash, uint256 nonce, bytes32 additionalHash, bytes closingSignature, bytes nonClosingSignature)',
  'function settleChannel(uint256 channelId, address participant1, uint256 transferred1, uint256 locked1, bytes32 locksroot1, address participant2, uint256 transferred2, uint256 locked2, bytes32 locksroot2)',
  'function unlock(uint256 channelId, address receiver, address sender, bytes locks)',
  'function channel_participant_deposit_limit() view returns (uint256)',
  'function channel_counter() view returns (uint256)',
  'function token_network_deposit_limit() view returns (uint256)',
  'function getChannelInfo(uint256 channelId, address participant1, address participant2) view returns (uint256 settleBlock, uint8 state)',
  'function getChannelParticipantInfo(uint256 channelId, address participant, address partner) view returns (uint256 deposit, uint256 withdrawn, bool isCloser, bytes32 balanceHash, uint256 nonce, bytes32 locksroot, uint256 lockedAmount)',
]);

export const tokenNetworkAbi = [...tokenNetworkFunctions, ...channelEventsAbi] as const;

export const secretRegistryAbi = parseAbi([
  'function registerSecret(bytes32 secret) returns (bool)',
  'function registerSecretBatch(bytes32[] secrets) returns (bool)',
  'function getSecretRevealBlockHeight(bytes32 secrethash) view returns (uint256)',
  'event SecretRevealed(bytes32 indexed secrethash, bytes32 secret)',
]);

export const userDepositAbi = parseAbi([
  'function deposit(address beneficiary, uint256 newTotalDeposit)',
  'function planWithdraw(uint256 amount)',
  'function withdraw(uint256 amount)',
  'function token() view returns (address)',
  'function balances(address owner) view returns (uint256)',
  'function total_deposit(address owner) view returns (uint256)',
  'function withdraw_plans(address owner) view returns (uint256 amount, uint256 withdrawBlock)',
  'function effectiveBalance(address owner) view returns (uint256)',
  'function whole_balance() view returns (uint256)',
  'function whole_balance_limit() view returns (uint256)',
  'function withdraw_delay() view returns (uint256)',
]);

export const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
]);

export const serviceRegistryAbi = parseAbi([
  'function deposit(uint256 limit) returns (bool)',
  'function currentPrice() view returns (uint256)',
  'function hasValidRegistration(address service) view returns (bool)',
  'function service_valid_till(address service) view returns (uint256)',
  'function registration_duration() view returns (uint256)',
  'function token() view returns (address)',
]);
