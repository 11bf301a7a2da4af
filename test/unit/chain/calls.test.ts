import { decodeFunctionData, parseAbi, toEventSelector, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import { type Address, type Hash, type Signature, ZERO_HASH } from '../../../src/basics/hex.ts';
import {
  registryAbi,
  secretRegistryAbi,
  tokenAbi,
  tokenNetworkAbi,
  userDepositAbi,
} from '../../../src/chain/abi.ts';
import {
  closeCalls,
  depositCalls,
  mintCalls,
  openChannelCalls,
  registerSecretCalls,
  registerSecretsCall,
  registerTokenCalls,
  secretsIn,
  settleCalls,
  unlockCalls,
  updateProofCalls,
  userDepositCalls,
  userDepositPlanCalls,
  userDepositWithdrawCalls,
  withdrawCalls,
} from '../../../src/chain/queue/calls.ts';
import type { ChainCall } from '../../../src/chain/queue/jobs.ts';
import { customTokenAbi } from '../../../src/contracts/generated/CustomToken.ts';
import { secretRegistryAbi as secretRegistry } from '../../../src/contracts/generated/SecretRegistry.ts';
import { tokenNetworkAbi as tokenNetworkContract } from '../../../src/contracts/generated/TokenNetwork.ts';
import { tokenNetworkRegistryAbi } from '../../../src/contracts/generated/TokenNetworkRegistry.ts';
import { userDepositAbi as userDepositContract } from '../../../src/contracts/generated/UserDeposit.ts';
import { EMPTY_SIGNATURE } from '../../../src/protocol/channel/balance-proof.ts';

const address = (n: number): Address => `0x${String(n).repeat(40)}`;
const hash = (n: number): Hash => `0x${String(n).repeat(64)}`;
const signature = (n: number): Signature => `0x${String(n).repeat(130)}`;
const [own, partner, token, network] = [address(1), address(2), address(3), address(4)];
const job = { from: 'channel', key: 'k', deadlineBlock: null };
const channel = { ...job, tokenNetwork: network, channelId: 7n, partner };
const proof = { nonce: 5n, balanceHash: hash(5), additionalHash: hash(6), signature: signature(7) };

/** Name and arguments, read with the ABI that the compiler made. */
function decoded(call: ChainCall | undefined) {
  if (call === undefined) throw new Error('no such call');
  const abi = [
    ...tokenNetworkRegistryAbi,
    ...tokenNetworkContract,
    ...secretRegistry,
    ...customTokenAbi,
    ...userDepositContract,
  ];
  const { functionName, args } = decodeFunctionData({ abi, data: call.data });
  return { to: call.to, functionName, args };
}

describe('the hand-written ABI', () => {
  it('names only functions and events that our contracts have, too', () => {
    const ours = [
      ...registryAbi,
      ...tokenNetworkAbi,
      ...secretRegistryAbi,
      ...tokenAbi,
      ...userDepositAbi,
    ];
    const theirs = [
      ...tokenNetworkRegistryAbi,
      ...tokenNetworkContract,
      ...secretRegistry,
      ...customTokenAbi,
      ...userDepositContract,
    ];
    const selectors = theirs.flatMap((item) => {
      if (item.type === 'function') return [toFunctionSelector(item)];
      return item.type === 'event' ? [toEventSelector(item)] : [];
    });
    const missing = ours.filter((item) => {
      const own = item.type === 'function' ? toFunctionSelector(item) : toEventSelector(item);
      return !selectors.includes(own);
    });
    expect(missing).toEqual([]);
  });
});

describe('calls', () => {
  const depositor = (allowance: bigint, mayReplace = true) => ({
    own,
    allowance: async () => allowance,
    approves: async () => mayReplace,
  });
  /** Which of the calls are needed. */
  const needed = (calls: readonly ChainCall[]) =>
    Promise.all(calls.map(async ({ skipIf }) => !(await skipIf?.())));

  it('register a token with the limits given', () => {
    const given = { registry: network, participantLimit: 5n, networkLimit: 9n };
    const [call] = registerTokenCalls({ ...job, type: 'tx.registerToken', token }, given);
    expect(decoded(call)).toEqual({
      to: network,
      functionName: 'createERC20TokenNetwork',
      args: [token, 5n, 9n],
    });
  });

  const open = { ...job, type: 'tx.openChannel', token, tokenNetwork: network, partner } as const;

  it('open a channel without a deposit in one call', () => {
    const calls = openChannelCalls(
      { ...open, settleTimeout: 500n, totalDeposit: 0n },
      depositor(0n),
    );
    expect(calls.map(decoded)).toEqual([
      { to: network, functionName: 'openChannel', args: [own, partner, 500n] },
    ]);
  });

  it('approve exactly the deposit before a channel is opened with it', () => {
    const calls = openChannelCalls(
      { ...open, settleTimeout: 500n, totalDeposit: 9n },
      depositor(0n),
    );
    expect(calls.map(decoded)).toEqual([
      { to: token, functionName: 'approve', args: [network, 0n] },
      { to: token, functionName: 'approve', args: [network, 9n] },
      { to: network, functionName: 'openChannelWithDeposit', args: [own, partner, 500n, 9n] },
    ]);
  });

  it('approve only what a deposit adds, and skip that when the allowance suffices', async () => {
    const tx = { ...channel, type: 'tx.deposit', token, totalDeposit: 30n, added: 20n } as const;
    const calls = depositCalls(tx, depositor(19n));
    expect(calls.map(decoded)).toEqual([
      { to: token, functionName: 'approve', args: [network, 0n] },
      { to: token, functionName: 'approve', args: [network, 20n] },
      { to: network, functionName: 'setTotalDeposit', args: [7n, own, 30n, partner] },
    ]);
    expect(await needed(calls)).toEqual([false, true, true]);
    expect(await needed(depositCalls(tx, depositor(20n)))).toEqual([false, false, true]);
  });

  it('approve nothing first when the token does not let what is left over be replaced', async () => {
    const tx = { ...channel, type: 'tx.deposit', token, totalDeposit: 30n, added: 20n } as const;
    expect(await needed(depositCalls(tx, depositor(19n, false)))).toEqual([true, true, true]);
    expect(await needed(depositCalls(tx, depositor(0n, false)))).toEqual([false, true, true]);
    expect(await needed(depositCalls(tx, depositor(20n, false)))).toEqual([false, false, true]);
  });

  it('withdraw with the participant’s signature before the partner’s', () => {
    const facts = { totalWithdraw: 30n, expiration: 99n, partnerSignature: signature(8) };
    const given = { own, ownSignature: signature(9) };
    const [call] = withdrawCalls({ ...channel, type: 'tx.withdraw', ...facts }, given);
    expect(decoded(call)).toEqual({
      to: network,
      functionName: 'setTotalWithdraw',
      args: [7n, own, 30n, 99n, signature(9), signature(8)],
    });
  });

  it('close with the non-closing side first', () => {
    const given = { own, closingSignature: signature(8) };
    const [call] = closeCalls({ ...channel, type: 'tx.close', proof }, given);
    expect(decoded(call)).toEqual({
      to: network,
      functionName: 'closeChannel',
      args: [7n, partner, own, hash(5), 5n, hash(6), signature(7), signature(8)],
    });
  });

  it('close with zeros when the partner never sent anything', () => {
    const given = { own, closingSignature: signature(8) };
    const [call] = closeCalls({ ...channel, type: 'tx.close', proof: null }, given);
    expect(decoded(call).args).toEqual([
      7n,
      partner,
      own,
      ZERO_HASH,
      0n,
      ZERO_HASH,
      EMPTY_SIGNATURE,
      signature(8),
    ]);
  });

  it('update the proof with the closing side first', () => {
    const given = { own, nonClosingSignature: signature(9) };
    const [call] = updateProofCalls({ ...channel, type: 'tx.updateProof', proof }, given);
    expect(decoded(call)).toEqual({
      to: network,
      functionName: 'updateNonClosingBalanceProof',
      args: [7n, partner, own, hash(5), 5n, hash(6), signature(7), signature(9)],
    });
  });

  const balances = (transferredAmount: bigint, lockedAmount: bigint, n: number) => ({
    transferredAmount,
    lockedAmount,
    locksroot: hash(n),
  });
  const settle = {
    ...channel,
    type: 'tx.settle',
    channel: 'c',
    ownHash: null,
    partnerHash: null,
  } as const;

  it.each([
    ['own', balances(3n, 4n, 1), balances(8n, 0n, 2)],
    ['own', balances(0n, 0n, 1), balances(0n, 0n, 2)],
    ['partner', balances(6n, 3n, 1), balances(8n, 0n, 2)],
    // Both sums saturate and count as equal; wrapped around, the own one would be the larger.
    ['own', balances(MAX_UINT256, 9n, 1), balances(MAX_UINT256, 1n, 2)],
    ['partner', balances(MAX_UINT256, 0n, 1), balances(MAX_UINT256 - 2n, 1n, 2)],
  ])('settle with the smaller claim first, here %s', (first, ownBalances, partnerBalances) => {
    const [call] = settleCalls(settle, { own, ownBalances, partnerBalances });
    const side = (
      who: Address,
      { transferredAmount, lockedAmount, locksroot }: typeof ownBalances,
    ) => [who, transferredAmount, lockedAmount, locksroot] as const;
    const sides = [side(own, ownBalances), side(partner, partnerBalances)];
    const ordered = first === 'own' ? sides : sides.toReversed();
    expect(decoded(call)).toEqual({
      to: network,
      functionName: 'settleChannel',
      args: [7n, ...ordered.flat()],
    });
  });

  it('unlock what the partner locked for us, and what comes back to us', () => {
    const locks = `0x${'ab'.repeat(96)}` as const;
    const tx = { ...channel, type: 'tx.unlock', channel: 'c', balanceHash: hash(1) } as const;
    const toUs = unlockCalls({ ...tx, side: 'partner' }, { own, locks });
    const back = unlockCalls({ ...tx, side: 'own' }, { own, locks });
    // unlock(id, receiver, sender, locks)
    expect(decoded(toUs[0]).args).toEqual([7n, own, partner, locks]);
    expect(decoded(back[0]).args).toEqual([7n, partner, own, locks]);
  });

  it('register a secret at the secret registry, whoever may have done so already', () => {
    const given = { secretRegistry: address(9) };
    const [call] = registerSecretCalls(
      { ...job, type: 'tx.registerSecret', secret: hash(3) },
      given,
    );
    expect(decoded(call)).toEqual({
      to: address(9),
      functionName: 'registerSecret',
      args: [hash(3)],
    });
    expect(call?.skipIf).toBeUndefined();
  });

  it('register several secrets together, and tell which a call registers', () => {
    const secrets = [hash(3), hash(4)];
    const call = registerSecretsCall(address(9), secrets);
    expect(decoded(call)).toEqual({
      to: address(9),
      functionName: 'registerSecretBatch',
      args: [secrets],
    });
    expect(secretsIn(call.data)).toEqual(secrets);
    const [single] = registerSecretCalls(
      { ...job, type: 'tx.registerSecret', secret: hash(5) },
      { secretRegistry: address(9) },
    );
    expect(single && secretsIn(single.data)).toEqual([hash(5)]);
    expect(secretsIn('0xdeadbeef')).toEqual([]);
  });

  const contract = address(8);

  it('approve only what a user deposit adds, and pay in for the account itself', async () => {
    const tx = { ...job, type: 'tx.userDeposit', contract, token, total: 30n, added: 20n } as const;
    expect(userDepositCalls(tx, depositor(19n)).map(decoded)).toEqual([
      { to: token, functionName: 'approve', args: [contract, 0n] },
      { to: token, functionName: 'approve', args: [contract, 20n] },
      { to: contract, functionName: 'deposit', args: [own, 30n] },
    ]);
    expect(await needed(userDepositCalls(tx, depositor(19n)))).toEqual([false, true, true]);
    expect(await needed(userDepositCalls(tx, depositor(20n)))).toEqual([false, false, true]);
  });

  it('plan and make a withdrawal from the user deposit', () => {
    const tx = { ...job, contract, amount: 5n };
    const withdrawal = { ...tx, type: 'tx.userDepositWithdraw', withdrawBlock: 9n } as const;
    expect(userDepositPlanCalls({ ...tx, type: 'tx.userDepositPlan' }).map(decoded)).toEqual([
      { to: contract, functionName: 'planWithdraw', args: [5n] },
    ]);
    expect(userDepositWithdrawCalls(withdrawal).map(decoded)).toEqual([
      { to: contract, functionName: 'withdraw', args: [5n] },
    ]);
  });

  it.each([
    ['mint', 'mint(address,uint256)', [partner, 5n]],
    ['mintFor', 'mintFor(uint256,address)', [5n, partner]],
    ['increaseSupply', 'increaseSupply(uint256,address)', [5n, partner]],
  ] as const)('mint by %s', (method, signature, args) => {
    const tx = { ...job, type: 'tx.mint', token, to: partner, value: 5n, method } as const;
    const [call] = mintCalls(tx);
    const abi = parseAbi([
      'function mint(address,uint256)',
      'function mintFor(uint256,address)',
      'function increaseSupply(uint256,address)',
    ]);
    expect(call).toMatchObject({ kind: 'mint', to: token });
    expect(call?.data.slice(0, 10)).toBe(toFunctionSelector(signature));
    expect(decodeFunctionData({ abi, data: call?.data ?? '0x' }).args).toEqual(args);
  });
});
