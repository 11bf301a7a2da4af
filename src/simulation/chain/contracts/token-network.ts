import { type Address, type Hash, ZERO_ADDRESS, ZERO_HASH } from '../../../basics/hex.ts';
import { words } from './abi.ts';
import { type ChannelBase, createChannelBase, type NetworkTerms, nonceOf } from './channel-base.ts';
import { closing, type Evidence } from './channel-closing.ts';
import { openingMethods } from './channel-opening.ts';
import { settlingMethods } from './channel-settling.ts';
import { withdrawingMethods } from './channel-withdrawing.ts';
import {
  type Contract,
  createContract,
  isContract,
  type Methods,
  tokenAt,
  type World,
} from './contract.ts';
import { demand } from './revert.ts';

export type TokenNetwork = Contract & {
  tokenAddress: Address;
  /** How many channels were ever opened: the newest identifier. */
  channelCount(): bigint;
  channel(id: bigint): ChannelFacts | null;
  identifierOf(one: Address, other: Address): bigint;
  update(evidence: Evidence): void;
};
type ChannelState = (typeof STATES)[number];
/** One channel as the contract stores it. */
export type ChannelFacts = {
  state: ChannelState;
  /** While open, the settle timeout in blocks; once closed, the block after which it can be settled; else 0. */
  settle: bigint;
  /** The participants in the order in which they were named at the opening. */
  sides: readonly [SideFacts, SideFacts];
};
export type SideFacts = {
  address: Address;
  deposit: bigint;
  withdrawn: bigint;
  isCloser: boolean;
  balanceHash: Hash;
  nonce: bigint;
  /** After the settlement: the locks that this side has sent and that can still be unlocked. */
  locksroot: Hash;
  locked: bigint;
};

/** The states of a channel, indexed by the contract's numbers for them. */
const STATES = ['none', 'opened', 'closed', 'settled', 'removed'] as const;

/** Reverts like the contract's constructor. */
export function createTokenNetwork(
  world: World,
  address: Address,
  terms: NetworkTerms,
): TokenNetwork {
  checkTerms(world, terms);
  const base = createChannelBase(world, address, terms);
  const { methods: closingMethods, update } = closing(base);
  const methods: Methods = {
    ...openingMethods(base),
    ...withdrawingMethods(base),
    ...closingMethods,
    ...settlingMethods(base),
    ...viewMethods(base),
  };
  return {
    ...createContract(address, methods),
    tokenAddress: terms.token,
    update,
    channelCount: () => base.counter.get(''),
    identifierOf: base.identifierOf,
    channel(id) {
      const pair = base.pairs.get(id.toString());
      if (pair === null) return null;
      const [one, two] = pair;
      const { state, settle } = infoOf(base, id, [one, two]);
      return { state, settle, sides: [sideOf(base, id, one, two), sideOf(base, id, two, one)] };
    },
  };
}

function checkTerms(world: World, terms: NetworkTerms): void {
  const { token, participantLimit, networkLimit } = terms;
  demand(token !== ZERO_ADDRESS, 'TN: invalid token address');
  demand(isContract(world, token), 'TN: invalid token contract');
  demand(participantLimit > 0n, 'TN: invalid participant limit');
  demand(networkLimit > 0n, 'TN: invalid network deposit limit');
  demand(networkLimit >= participantLimit, 'TN: invalid deposit limits');
  demand(tokenAt(world, token).totalSupply() > 0n, 'TN: no supply for token');
}

/** What nodes, services and other contracts ask a token network. */
function viewMethods(base: ChannelBase): Methods {
  const { terms, counter } = base;
  return {
    'token()': () => words(terms.token),
    'settlement_timeout_min()': () => words(terms.settleTimeoutMin),
    'settlement_timeout_max()': () => words(terms.settleTimeoutMax),
    'channel_participant_deposit_limit()': () => words(terms.participantLimit),
    'token_network_deposit_limit()': () => words(terms.networkLimit),
    'channel_counter()': () => words(counter.get('')),
    'getChannelInfo(uint256,address,address)': (_, input) => {
      const { settle, state } = infoOf(base, input.uint(), [input.address(), input.address()]);
      return words(settle, numberOf(state));
    },
    'getChannelParticipantInfo(uint256,address,address)': (_, input) => {
      const side = sideOf(base, input.uint(), input.address(), input.address());
      const { deposit, withdrawn, isCloser, balanceHash, nonce, locksroot, locked } = side;
      return words(deposit, withdrawn, isCloser, balanceHash, nonce, locksroot, locked);
    },
  };
}

const numberOf = (state: ChannelState): bigint => BigInt(STATES.indexOf(state));

function infoOf(base: ChannelBase, id: bigint, [one, two]: readonly [Address, Address]) {
  const channel = base.channels.get(id.toString());
  if (channel !== null) return { settle: channel.settle, state: channel.state };
  if (id === 0n || id > base.counter.get('')) return { settle: 0n, state: 'none' } as const;
  // As in the Solidity contract, the second entry is read only when the first has nothing: each read costs gas.
  const hasLocks = isLeft(base, base.key(id, one, two)) || isLeft(base, base.key(id, two, one));
  return { settle: 0n, state: hasLocks ? 'settled' : 'removed' } as const;
}

function isLeft({ amounts }: ChannelBase, place: string): boolean {
  const found = amounts.get(place);
  return 'locked' in found ? found.locked > 0n : true;
}

function sideOf(base: ChannelBase, id: bigint, address: Address, partner: Address): SideFacts {
  const channel = base.channels.get(id.toString());
  const place = base.key(id, address, partner);
  const nothing = {
    address,
    deposit: 0n,
    withdrawn: 0n,
    isCloser: false,
    balanceHash: ZERO_HASH,
    nonce: 0n,
    locksroot: ZERO_HASH,
    locked: 0n,
  };
  if (channel === null) {
    const left = base.amounts.get(place);
    const locked = 'locked' in left ? left.locked : 0n;
    return { ...nothing, locksroot: base.commitments.get(place), locked };
  }
  if (base.identifierOf(address, partner) !== id) return nothing;
  const higher = address.toLowerCase() > partner.toLowerCase();
  return {
    ...nothing,
    ...base.load(place),
    isCloser: channel.closedByHigher === higher,
    balanceHash: base.commitments.get(place),
    nonce: nonceOf(channel, higher),
  };
}
