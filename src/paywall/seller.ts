/** What the paywall has to know of the seller's node, asked once at its start. */
import { type Address, parseAddress } from '../basics/hex.ts';
import { type ClientOptions, createClient } from '../client/api.ts';
import { decimalsOf } from '../client/units.ts';
import type { NodeFacilitator } from '../x402/facilitator.ts';

export type Seller = {
  address: Address;
  network: `${string}:${string}`;
  decimals: ReadonlyMap<Address, number>;
};

/** Throws with what a person can do when the node does not answer, or cannot be paid in one of these tokens. */
export async function askSeller(
  node: string,
  facilitator: NodeFacilitator,
  tokens: readonly Address[],
  options: ClientOptions,
): Promise<Seller> {
  const { kinds } = await facilitator.getSupported();
  const kind = kinds.find(({ scheme }) => scheme === 'channel');
  if (kind === undefined)
    throw new Error(`${node} settles no payments for calls: is it a newer sluice?`);
  const answer = await createClient(node, options).address.$get();
  const { our_address }: { our_address?: unknown } = Object(await answer.json());
  const address = parseAddress(our_address);
  if (address === null) throw new Error(`${node} does not tell its address (${answer.status})`);
  const decimals = new Map<Address, number>();
  for (const token of new Set(tokens)) {
    const known = await decimalsOf(node, token, options);
    if (known === null)
      throw new Error(
        `${node} knows no network of ${token}, or the token does not tell its decimals`,
      );
    decimals.set(token, known);
  }
  return { address, network: kind.network, decimals };
}
