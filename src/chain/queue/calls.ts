/**
 * The calls that carry out each `tx.*` effect. Pure: signatures and preimages are passed in, and the queue asks the
 * one question to the chain (`skipIf`).
 */
import { decodeFunctionData, encodeFunctionData, getAbiItem, toFunctionSelector } from 'viem';
import type { Tx } from '../../../machines/effects.ts';
import { addSaturating } from '../../basics/amount.ts';
import {
  type Address,
  type Hex,
  type Secret,
  type Signature,
  ZERO_HASH,
} from '../../basics/hex.ts';
import { type Balances, EMPTY_SIGNATURE } from '../../protocol/channel/balance-proof.ts';
import { registryAbi, secretRegistryAbi, tokenNetworkAbi, userDepositAbi } from '../abi.ts';
import { mintData } from '../mint.ts';
import { approveCalls, type Depositor } from './approvals.ts';
import type { CallKind, ChainCall } from './jobs.ts';

type Effect<T extends Tx['type']> = Extract<Tx, { type: T }>;
/** Gas that a call rarely exceeds, for judging whether the money suffices before it can be simulated. */
export const GAS_ESTIMATES: Record<CallKind, bigint> = {
  approve: 60_000n,
  registerToken: 5_000_000n,
  openChannel: 200_000n,
  deposit: 130_000n,
  withdraw: 150_000n,
  close: 130_000n,
  updateProof: 110_000n,
  settle: 180_000n,
  unlock: 100_000n,
  registerSecret: 60_000n,
  userDeposit: 150_000n,
  userDepositPlan: 80_000n,
  userDepositWithdraw: 80_000n,
  mint: 80_000n,
  registerService: 700_000n,
  claimIou: 130_000n,
  monitor: 300_000n,
  claimReward: 120_000n,
};

/**
 * Most gas that a call may take when it moves a token that nobody here has chosen: whoever opens a channel chooses
 * its token, and the token's contract may burn all the gas that it gets. The limits are several times what an honest
 * token takes: see the estimates; the unlock of 160 locks takes 725,000.
 */
export const MOST_GAS: Partial<Record<CallKind, bigint>> = {
  settle: 1_000_000n,
  unlock: 1_600_000n,
};

/** EIP-7825: an endpoint refuses a transaction whose gas limit is higher, and no block takes it. */
export const MOST_GAS_IN_TRANSACTION = 16_777_216n;

export function registerTokenCalls(
  tx: Effect<'tx.registerToken'>,
  given: { registry: Address; participantLimit: bigint; networkLimit: bigint },
): ChainCall[] {
  const data = encodeFunctionData({
    abi: registryAbi,
    functionName: 'createERC20TokenNetwork',
    args: [tx.token, given.participantLimit, given.networkLimit],
  });
  return [{ kind: 'registerToken', to: given.registry, data }];
}

/** With a deposit, the tokens are approved first unless the allowance suffices. */
export function openChannelCalls(tx: Effect<'tx.openChannel'>, given: Depositor): ChainCall[] {
  const { tokenNetwork: to, partner, settleTimeout, totalDeposit } = tx;
  const open = [given.own, partner, settleTimeout] as const;
  if (totalDeposit === 0n) {
    const data = encodeFunctionData({
      abi: tokenNetworkAbi,
      functionName: 'openChannel',
      args: open,
    });
    return [{ kind: 'openChannel', to, data }];
  }
  const data = encodeFunctionData({
    abi: tokenNetworkAbi,
    functionName: 'openChannelWithDeposit',
    args: [...open, totalDeposit],
  });
  return [...approveCalls(tx.token, to, totalDeposit, given), { kind: 'openChannel', to, data }];
}

export function depositCalls(tx: Effect<'tx.deposit'>, given: Depositor): ChainCall[] {
  const data = encodeFunctionData({
    abi: tokenNetworkAbi,
    functionName: 'setTotalDeposit',
    args: [tx.channelId, given.own, tx.totalDeposit, tx.partner],
  });
  return [
    ...approveCalls(tx.token, tx.tokenNetwork, tx.added, given),
    { kind: 'deposit', to: tx.tokenNetwork, data },
  ];
}

/** `ownSignature`: over the same bytes as the partner's consent. */
export function withdrawCalls(
  tx: Effect<'tx.withdraw'>,
  given: { own: Address; ownSignature: Signature },
): ChainCall[] {
  const data = encodeFunctionData({
    abi: tokenNetworkAbi,
    functionName: 'setTotalWithdraw',
    args: [
      tx.channelId,
      given.own,
      tx.totalWithdraw,
      tx.expiration,
      given.ownSignature,
      tx.partnerSignature,
    ],
  });
  return [{ kind: 'withdraw', to: tx.tokenNetwork, data }];
}

/** `closingSignature`: own, over the partner's balance proof (or over zeros) as 277 bytes of type 1. */
export function closeCalls(
  tx: Effect<'tx.close'>,
  given: { own: Address; closingSignature: Signature },
): ChainCall[] {
  const { balanceHash, nonce, additionalHash, signature } = tx.proof ?? {
    balanceHash: ZERO_HASH,
    nonce: 0n,
    additionalHash: ZERO_HASH,
    signature: EMPTY_SIGNATURE,
  };
  const data = encodeFunctionData({
    abi: tokenNetworkAbi,
    functionName: 'closeChannel',
    // The non-closing side comes first here, but second when the proof is updated.
    args: [
      tx.channelId,
      tx.partner,
      given.own,
      balanceHash,
      nonce,
      additionalHash,
      signature,
      given.closingSignature,
    ],
  });
  return [{ kind: 'close', to: tx.tokenNetwork, data }];
}

/** `nonClosingSignature`: own, over the partner's balance proof as 277 bytes of type 2. */
export function updateProofCalls(
  tx: Effect<'tx.updateProof'>,
  given: { own: Address; nonClosingSignature: Signature },
): ChainCall[] {
  const { balanceHash, nonce, additionalHash, signature } = tx.proof;
  const data = encodeFunctionData({
    abi: tokenNetworkAbi,
    functionName: 'updateNonClosingBalanceProof',
    args: [
      tx.channelId,
      tx.partner,
      given.own,
      balanceHash,
      nonce,
      additionalHash,
      signature,
      given.nonClosingSignature,
    ],
  });
  return [{ kind: 'updateProof', to: tx.tokenNetwork, data }];
}

/** The preimages of what the contract holds; for a side without a hash zeros and the root of no locks. */
export function settleCalls(
  tx: Effect<'tx.settle'>,
  given: { own: Address; ownBalances: Balances; partnerBalances: Balances },
): ChainCall[] {
  const own = { address: given.own, ...given.ownBalances };
  const partner = { address: tx.partner, ...given.partnerBalances };
  // The contract demands the side with the smaller transferred + locked first, added without overflow.
  const [first, second] = claimOf(own) <= claimOf(partner) ? [own, partner] : [partner, own];
  const data = encodeFunctionData({
    abi: tokenNetworkAbi,
    functionName: 'settleChannel',
    args: [
      tx.channelId,
      first.address,
      first.transferredAmount,
      first.lockedAmount,
      first.locksroot,
      second.address,
      second.transferredAmount,
      second.lockedAmount,
      second.locksroot,
    ],
  });
  return [{ kind: 'settle', to: tx.tokenNetwork, data }];
}

/** `locks`: all locks behind the locksroot on chain, 96 bytes each, in their order. */
export function unlockCalls(
  tx: Omit<Effect<'tx.unlock'>, 'brings'>,
  given: { own: Address; locks: Hex },
): ChainCall[] {
  const [sender, receiver] = tx.side === 'own' ? [given.own, tx.partner] : [tx.partner, given.own];
  const data = encodeFunctionData({
    abi: tokenNetworkAbi,
    functionName: 'unlock',
    args: [tx.channelId, receiver, sender, given.locks],
  });
  return [{ kind: 'unlock', to: tx.tokenNetwork, data }];
}

/** The first bytes of the calls that register one secret, and several. To encode the former by its ABI takes long. */
const selectorOf = (name: 'registerSecret' | 'registerSecretBatch'): Hex =>
  toFunctionSelector(getAbiItem({ abi: secretRegistryAbi, name }));
const REGISTER = selectorOf('registerSecret');
const REGISTER_MANY = selectorOf('registerSecretBatch');

/**
 * Never skipped, even when the newest block knows the secret already: that registration may be somebody
 * else's and vanish in a reorganisation.
 */
export function registerSecretCalls(
  tx: Effect<'tx.registerSecret'>,
  given: { secretRegistry: Address },
): ChainCall[] {
  const data: Hex = `${REGISTER}${tx.secret.slice(2)}`;
  return [{ kind: 'registerSecret', to: given.secretRegistry, data }];
}

/** Registers all the secrets in one call; the contract passes over those that are registered already. */
export function registerSecretsCall(
  secretRegistry: Address,
  secrets: readonly Secret[],
): ChainCall {
  const data = encodeFunctionData({
    abi: secretRegistryAbi,
    functionName: 'registerSecretBatch',
    args: [secrets],
  });
  return { kind: 'registerSecret', to: secretRegistry, data };
}

/** The secrets that a call of this account registers, alone or together; none in any other call. */
export function secretsIn(data: Hex): readonly Secret[] {
  if (data.startsWith(REGISTER)) return [`0x${data.slice(REGISTER.length)}`];
  if (!data.startsWith(REGISTER_MANY)) return [];
  const { functionName, args } = decodeFunctionData({ abi: secretRegistryAbi, data });
  return functionName === 'registerSecretBatch' ? args[0] : [];
}

/** The beneficiary is the account itself. */
export function userDepositCalls(tx: Effect<'tx.userDeposit'>, given: Depositor): ChainCall[] {
  const data = encodeFunctionData({
    abi: userDepositAbi,
    functionName: 'deposit',
    args: [given.own, tx.total],
  });
  return [
    ...approveCalls(tx.token, tx.contract, tx.added, given),
    { kind: 'userDeposit', to: tx.contract, data },
  ];
}

export function userDepositPlanCalls(tx: Effect<'tx.userDepositPlan'>): ChainCall[] {
  const data = encodeFunctionData({
    abi: userDepositAbi,
    functionName: 'planWithdraw',
    args: [tx.amount],
  });
  return [{ kind: 'userDepositPlan', to: tx.contract, data }];
}

export function userDepositWithdrawCalls(tx: Effect<'tx.userDepositWithdraw'>): ChainCall[] {
  const data = encodeFunctionData({
    abi: userDepositAbi,
    functionName: 'withdraw',
    args: [tx.amount],
  });
  return [{ kind: 'userDepositWithdraw', to: tx.contract, data }];
}

export function mintCalls(tx: Effect<'tx.mint'>): ChainCall[] {
  return [{ kind: 'mint', to: tx.token, data: mintData(tx) }];
}

function claimOf({ transferredAmount, lockedAmount }: Balances): bigint {
  return addSaturating(transferredAmount, lockedAmount);
}
