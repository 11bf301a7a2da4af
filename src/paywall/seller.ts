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

/** What a person has said of it, since a token that may only redeem payments reads nothing else. */
export type SellerTerms = { payTo: Address | null; decimals: ReadonlyMap<Address, bigint> };
type Question = {
  node: string;
  facilitator: NodeFacilitator;
  tokens: readonly Address[];
  told: SellerTerms;
};

/** Throws with what a person can do when the node does not answer, or cannot be paid in one of these tokens. */
export async function askSeller(question: Question, options: ClientOptions): Promise<Seller> {
  const { node, facilitator, tokens, told } = question;
  const { kinds } = await facilitator.getSupported();
  const kind = kinds.find(({ scheme }) => scheme === 'channel');
  if (kind === undefined)
    throw new Error(`${node} settles no payments for calls: is it a newer sluice?`);
  const address = told.payTo ?? (await addressOf(node, options));
  const decimals = new Map<Address, number>();
  for (const token of new Set(tokens)) {
    const known = told.decimals.get(token);
    decimals.set(token, known === undefined ? await digitsOf(node, token, options) : Number(known));
  }
  return { address, network: kind.network, decimals };
}

async function addressOf(node: string, options: ClientOptions): Promise<Address> {
  const answer = await createClient(node, options).address.$get();
  const { our_address }: { our_address?: unknown } = Object(await answer.json());
  const address = parseAddress(our_address);
  if (address === null)
    throw new Error(`${node} does not tell its address (${answer.status}): give it as --pay-to`);
  return address;
}

async function digitsOf(node: string, token: Address, options: ClientOptions): Promise<number> {
  const advice = `give them as --decimals ${token}=18`;
  const known = await decimalsOf(node, token, options).catch(() => null);
  if (known !== null) return known;
  throw new Error(`${node} knows no network of ${token}, or does not tell its decimals: ${advice}`);
}
