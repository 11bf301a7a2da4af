/**
 * State and helpers that all parts of a token network share. Source: ChannelBase.sol, Channels.sol,
 * Participants.sol.
 */

import { getOrMake } from '../../../basics/get-or-make.ts';
import { type Address, type Hash, ZERO_ADDRESS, ZERO_HASH } from '../../../basics/hex.ts';
import { keccakHex } from '../../../protocol/hash.ts';
import { pack } from '../../../protocol/wire/packing.ts';
import { type Call, createControl, isHigher, tokenAt, UNLIMITED, type World } from './contract.ts';
import { demand } from './revert.ts';
import type { SecretRegistry } from './secret-registry.ts';

export type NetworkTerms = {
  token: Address;
  secretRegistry: SecretRegistry;
  /** Blocks. */
  settleTimeoutMin: bigint;
  settleTimeoutMax: bigint;
  controller: Address;
  /** Units of the token. */
  participantLimit: bigint;
  networkLimit: bigint;
};
export type StoredChannel = {
  state: 'opened' | 'closed';
  /** While open, the settle timeout in blocks; once closed, the block after which the channel can be settled. */
  settle: bigint;
  lowerNonce: bigint;
  higherNonce: bigint;
  /** Whether the participant with the higher address closed the channel; null: it is open. */
  closedByHigher: boolean | null;
};
export type Balance = { deposit: bigint; withdrawn: bigint };
export type Amounts = Balance | { locked: bigint };
export type ChannelBase = ReturnType<typeof createChannelBase>;

export const NO_AMOUNTS: Amounts = { locked: 0n };
const WIDE_PARTS = ['deposit', 'withdrawn'] as const;
const MAX_DEPOSIT = 2n ** 128n - 1n;
const MAX_WITHDRAWN = 2n ** 127n - 1n;
export const MAX_NONCE = 2n ** 64n - 1n;

export function createChannelBase(world: World, address: Address, terms: NetworkTerms) {
  const { storage } = world;
  const control = createControl(world, terms.controller);
  const identifiers = storage.table(0n);
  const channels = storage.table<StoredChannel | null>(null);
  /** By unlock identifier: the amounts that are stored per channel and sender. */
  const amounts = storage.table(NO_AMOUNTS);
  const commitments = storage.table(ZERO_HASH);
  /** Amounts that do not fit into one slot take slots of their own, which cost more gas. */
  const wide = storage.table(0n);
  // These share the controller's slot: their gas is part of the functions that use them.
  const counter = storage.freeTable(0n);
  const switches = storage.freeTable(false);
  const pairs = storage.freeTable<readonly [Address, Address] | null>(null);

  /** Hashes of pairs that were used before: every access to a channel needs one. */
  const hashes = new Map<string, Hash>();

  function pairHash(one: Address, other: Address): Hash {
    demand(one !== ZERO_ADDRESS, 'TN: participant address zero');
    demand(other !== ZERO_ADDRESS, 'TN: partner address zero');
    demand(one !== other, 'TN: identical addresses');
    const [lower, higher] = isHigher(one, other) ? [other, one] : [one, other];
    const place = `${lower}${higher}`;
    return getOrMake(hashes, place, () =>
      keccakHex(pack([...[lower, higher].map((part) => ['address', part] as const)])),
    );
  }
  /** The key of what `sender` left in a channel with `receiver`. */
  function key(id: bigint, sender: Address, receiver: Address): string {
    demand(sender !== receiver, 'TN: sender/receiver mismatch');
    return `${id}/${sender}/${receiver}`;
  }
  function load(place: string): Balance {
    const found = amounts.get(place);
    if (!('deposit' in found)) return { deposit: 0n, withdrawn: 0n };
    if (isWide(found)) for (const part of WIDE_PARTS) wide.get(`${place}/${part}`);
    return found;
  }
  function save(place: string, balance: Balance): void {
    amounts.set(place, balance);
    if (isWide(balance)) for (const part of WIDE_PARTS) wide.set(`${place}/${part}`, balance[part]);
  }
  /** Removes the deposits at the settlement; only a locked amount may be left to unlock. */
  function settle(place: string, locked: bigint): void {
    const found = amounts.get(place);
    if ('deposit' in found && isWide(found))
      for (const part of WIDE_PARTS) wide.set(`${place}/${part}`, 0n);
    amounts.set(place, locked === 0n ? NO_AMOUNTS : { locked });
  }

  return {
    world,
    address,
    terms,
    control,
    identifiers,
    channels,
    amounts,
    commitments,
    counter,
    switches,
    pairs,
    pairHash,
    key,
    load,
    save,
    settle,
    self: { sender: address } satisfies Call,
    identifierOf: (one: Address, other: Address) => identifiers.get(pairHash(one, other)),
    participantLimit: () => (switches.get('unlimited') ? UNLIMITED : terms.participantLimit),
    networkLimit: () => (switches.get('unlimited') ? UNLIMITED : terms.networkLimit),
    demandSafe: () => demand(!switches.get('deprecated'), 'TN: network is deprecated'),
    /** The token balance of the network's contract. */
    held: () => tokenAt(world, terms.token).balanceOf(address),
    remove(id: bigint, pair: Hash): void {
      channels.set(id.toString(), null);
      identifiers.set(pair, 0n);
    },
    pay(receiver: Address, amount: bigint): void {
      if (amount === 0n) return;
      tokenAt(world, terms.token).transfer({ sender: address }, receiver, amount);
    },
  };
}

export function nonceOf(channel: StoredChannel, higher: boolean): bigint {
  return higher ? channel.higherNonce : channel.lowerNonce;
}

export function withNonce(channel: StoredChannel, higher: boolean, nonce: bigint): StoredChannel {
  return higher ? { ...channel, higherNonce: nonce } : { ...channel, lowerNonce: nonce };
}

function isWide({ deposit, withdrawn }: Balance): boolean {
  return deposit > MAX_DEPOSIT || withdrawn > MAX_WITHDRAWN;
}
