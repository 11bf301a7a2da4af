/** Letting a contract take tokens of this account, and taking that back. */
import { encodeFunctionData } from 'viem';
import type { Address } from '../../basics/hex.ts';
import { tokenAbi } from '../abi.ts';
import type { ChainCall } from './jobs.ts';

/** Tokens that `spender` may take from `owner`; may reject with viem's errors. */
type ReadAllowance = (token: Address, owner: Address, spender: Address) => Promise<bigint>;
export type Depositor = {
  own: Address;
  allowance: ReadAllowance;
  /** Whether the token takes an approval of the amount as things are; may reject with viem's errors. */
  approves: (token: Address, owner: Address, spender: Address, amount: bigint) => Promise<boolean>;
};

/** Approves the amount; first nothing, when a token does not let what is left over be replaced. */
export function approveCalls(
  token: Address,
  spender: Address,
  amount: bigint,
  given: Depositor,
): ChainCall[] {
  const { own, allowance, approves } = given;
  const hasEnough = async () => (await allowance(token, own, spender)) >= amount;
  const mayReplace = async () =>
    (await allowance(token, own, spender)) === 0n || (await approves(token, own, spender, amount));
  return [
    {
      ...approveCall(token, spender, 0n),
      skipIf: async () => (await hasEnough()) || (await mayReplace()),
    },
    { ...approveCall(token, spender, amount), skipIf: hasEnough },
  ];
}

/** Takes back what is left of an approval. */
export function disapproveCall(token: Address, spender: Address, given: Depositor): ChainCall {
  const skipIf = async () => (await given.allowance(token, given.own, spender)) === 0n;
  return { ...approveCall(token, spender, 0n), skipIf };
}

function approveCall(to: Address, spender: Address, amount: bigint): ChainCall {
  const args = [spender, amount] as const;
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args });
  return { kind: 'approve', to, data };
}
