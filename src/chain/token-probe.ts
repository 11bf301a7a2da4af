/**
 * What a token does when it is moved, found out before that costs anything: the chain answers a call as if the account had
 * the code of a probe, which moves tokens as the account would. An endpoint that cannot do that says nothing, and then
 * only the simulations of the single transactions are left.
 */
import { decodeErrorResult, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem';
import type { Address, Hex } from '../basics/hex.ts';
import { printable } from '../basics/printable.ts';
import { tokenProbeAbi, tokenProbeRuntime } from '../contracts/generated/TokenProbe.ts';
import type { ChainClient } from './client.ts';
import { classify, isInternal } from './errors.ts';

/** In the order of the findings of `TokenProbe.sol`. */
const FINDINGS = [
  null,
  'The token returns nothing when it is moved: the channel contracts cannot pay out what they take of it.',
  'The token returns false when it is moved.',
  'Another amount arrives than was sent: a token that takes a fee, or rounds, cannot be held in channels.',
  'The token refuses the approval.',
  'The token refuses to pay the partner, who could never get anything out of the channel.',
] as const;
/** Functions of tokens whose balances change by themselves: Aave and Ampleforth, Lido, Origin. */
const REBASING = parseAbi([
  'function scaledBalanceOf(address owner) view returns (uint256)',
  'function sharesOf(address owner) view returns (uint256)',
  'function creditsBalanceOf(address owner) view returns (uint256, uint256)',
]);

/** A call that takes `amount` of the token; `payee`: whom the contract must be able to pay with it later. */
export type Taking = { token: Address; to: Address; amount: bigint; data: Hex; payee: Address };

/**
 * Why no channel contract can hold the token, for people; null: nothing is known against it. Takes and moves `amount` of
 * it, which `own` must have. Rejects with viem's errors when nobody answers.
 */
export async function tokenFault(
  client: ChainClient,
  { token, own, amount }: { token: Address; own: Address; amount: bigint },
): Promise<string | null> {
  for (const { name } of REBASING)
    if (await answers(client, token, name, own))
      return `The token's balances change by themselves (${name}): what a channel holds of it would, too.`;
  const data = encodeFunctionData({
    abi: tokenProbeAbi,
    functionName: 'habits',
    args: [token, amount],
  });
  const answer = await probed(client, own, data);
  if (answer === null) return null;
  const found = decodeFunctionResult({ abi: tokenProbeAbi, functionName: 'habits', data: answer });
  return FINDINGS[found] ?? null;
}

/**
 * Why approving the tokens and taking them would fail, for people; null: nothing is known against it. Rejects like
 * `tokenFault`.
 */
export async function takingFault(
  client: ChainClient,
  own: Address,
  { token, to, amount, data, payee }: Taking,
): Promise<string | null> {
  const call = encodeFunctionData({
    abi: tokenProbeAbi,
    functionName: 'rehearse',
    args: [token, to, amount, data, payee],
  });
  const answer = await probed(client, own, call);
  if (answer === null) return null;
  const [finding, reason] = decodeFunctionResult({
    abi: tokenProbeAbi,
    functionName: 'rehearse',
    data: answer,
  });
  return finding < FINDINGS.length ? (FINDINGS[finding] ?? null) : reverted(reason);
}

function reverted(data: Hex): string {
  try {
    const { args } = decodeErrorResult({ abi: [], data });
    return printable(`execution reverted: ${args.join(', ')}`);
  } catch {
    return 'execution reverted';
  }
}

/** What the account answers with the probe's code; null: this endpoint cannot ask that. */
async function probed(client: ChainClient, own: Address, data: Hex): Promise<Hex | null> {
  try {
    const stateOverride = [{ address: own, code: tokenProbeRuntime }];
    const answer = await client.call({ to: own, data, stateOverride });
    return answer.data ?? null;
  } catch (error) {
    if (classify(error) === 'unavailable' && !isInternal(error)) throw error;
    return null;
  }
}

async function answers(
  client: ChainClient,
  token: Address,
  functionName: (typeof REBASING)[number]['name'],
  owner: Address,
): Promise<boolean> {
  try {
    await client.readContract({ address: token, abi: REBASING, functionName, args: [owner] });
    return true;
  } catch (error) {
    if (classify(error) === 'unavailable' && !isInternal(error)) throw error;
    return false;
  }
}
