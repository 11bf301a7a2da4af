/** All payment channels of one token. Source: TokenNetwork.sol. */
import { addSaturating } from '../../../basics/amount.ts';
import { type Address, type Hash, ZERO_ADDRESS, ZERO_HASH } from '../../../basics/hex.ts';
import { isSettleOrder } from '../../../protocol/channel/settlement.ts';
import { keccakHex } from '../../../protocol/hash.ts';
import { pack } from '../../../protocol/wire/packing.ts';
import { eventTopic, type Input, words } from './abi.ts';
import { type ChannelBase, createChannelBase, type NetworkTerms, nonceOf } from './channel-base.ts';
import { closing, type Evidence } from './channel-closing.ts';
import { openingMethods } from './channel-opening.ts';
import { settlingMethods } from './channel-settling.ts';
import { withdrawingMethods } from './channel-withdrawing.ts';
import {
  type Contract,
  createContract,
  emit,
  isContract,
  type Methods,
  NOTHING,
  tokenAt,
  utilityMethods,
  type World,
} from './contract.ts';
import { demand } from './revert.ts';

export type TokenNetwork = Contract & {
  tokenAddress: Address;
  /** How many channels were ever opened: the newest identifier. */
  channelCount(): bigint;
  channel(id: bigint): ChannelFacts | null;
  identifierOf(one: Address, other: Address): bigint;
  info(id: bigint, one: Address, two: Address): { settle: bigint; state: ChannelState };
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
const DEPRECATED = eventTopic('DeprecationSwitch(bool)');
const LONGEST_TIMEOUT = 2n ** 63n - 1n;

/** Reverts like the contract's constructor. */
export function createTokenNetwork(
  world: World,
  address: Address,
  terms: NetworkTerms,
): TokenNetwork {
  checkTerms(world, terms);
  const base = createChannelBase(world, address, terms);
  const { methods: closingMethods, update } = closing(base);
  const info = (id: bigint, one: Address, two: Address) => infoOf(base, id, [one, two]);
  const methods: Methods = {
    ...utilityMethods(world),
    ...base.control.methods,
    ...openingMethods(base),
    ...withdrawingMethods(base),
    ...closingMethods,
    ...settlingMethods(base),
    ...controllerMethods(base),
    ...termMethods(base),
    ...channelViews(base),
  };
  return {
    ...createContract(address, methods),
    tokenAddress: terms.token,
    update,
    info,
    channelCount: () => base.counter.get(''),
    identifierOf: base.identifierOf,
    channel(id) {
      const pair = base.pairs.get(id.toString());
      if (pair === null) return null;
      const [one, two] = pair;
      const { state, settle } = info(id, one, two);
      return { state, settle, sides: [sideOf(base, id, one, two), sideOf(base, id, two, one)] };
    },
  };
}

function checkTerms(world: World, terms: NetworkTerms): void {
  const { token, secretRegistry, settleTimeoutMin, settleTimeoutMax } = terms;
  const { participantLimit, networkLimit } = terms;
  demand(token !== ZERO_ADDRESS, 'TN: invalid token address');
  demand(terms.controller !== ZERO_ADDRESS, 'TN: invalid controller address');
  demand(settleTimeoutMin > 0n, 'TN: invalid settle timeout min');
  demand(settleTimeoutMax > settleTimeoutMin, 'TN: invalid settle timeouts');
  demand(settleTimeoutMax <= LONGEST_TIMEOUT, 'TN: invalid settle timeout max');
  demand(isContract(world, token), 'TN: invalid token contract');
  demand(isContract(world, secretRegistry.address), 'TN: invalid SR contract');
  demand(participantLimit > 0n, 'TN: invalid participant limit');
  demand(networkLimit > 0n, 'TN: invalid network deposit limit');
  demand(networkLimit >= participantLimit, 'TN: invalid deposit limits');
  demand(tokenAt(world, token).totalSupply() > 0n, 'TN: no supply for token');
}

function controllerMethods({
  world,
  address,
  control,
  switches,
  demandSafe,
}: ChannelBase): Methods {
  return {
    'deprecate()': (call) => {
      demandSafe();
      control.check(call);
      switches.set('deprecated', true);
      emit(world, address, [DEPRECATED], words(true));
      return NOTHING;
    },
    'removeLimits()': (call) => {
      control.check(call);
      switches.set('unlimited', true);
      return NOTHING;
    },
  };
}

function termMethods({ world, terms, switches, counter, ...base }: ChannelBase): Methods {
  return {
    'token()': () => words(terms.token),
    'secret_registry()': () => words(terms.secretRegistry.address),
    'settlement_timeout_min()': () => words(terms.settleTimeoutMin),
    'settlement_timeout_max()': () => words(terms.settleTimeoutMax),
    'channel_participant_deposit_limit()': () => words(base.participantLimit()),
    'token_network_deposit_limit()': () => words(base.networkLimit()),
    'safety_deprecation_switch()': () => words(switches.get('deprecated')),
    'channel_counter()': () => words(counter.get('')),
    'chain_id()': () => words(world.chainId),
  };
}

function channelViews(base: ChannelBase): Methods {
  return {
    'participants_hash_to_channel_identifier(bytes32)': (_, input) =>
      words(base.identifiers.get(input.hash())),
    'channels(uint256)': (_, input) => {
      const channel = base.channels.get(input.uint().toString());
      return channel === null ? words(0n, 0n) : words(channel.settle, numberOf(channel.state));
    },
    'getChannelIdentifier(address,address)': (_, input) =>
      words(base.identifierOf(input.address(), input.address())),
    'getParticipantsHash(address,address)': (_, input) =>
      words(base.pairHash(input.address(), input.address())),
    'getUnlockIdentifier(uint256,address,address)': (_, input) => {
      const [id, sender, receiver] = [input.uint(), input.address(), input.address()];
      demand(sender !== receiver, 'TN: sender/receiver mismatch');
      const fields = [
        ['u256', id],
        ['address', sender],
        ['address', receiver],
      ] as const;
      return words(keccakHex(pack(fields)));
    },
    'getChannelInfo(uint256,address,address)': (_, input) => {
      const { settle, state } = infoOf(base, input.uint(), [input.address(), input.address()]);
      return words(settle, numberOf(state));
    },
    'getChannelParticipantInfo(uint256,address,address)': (_, input) => {
      const side = sideOf(base, input.uint(), input.address(), input.address());
      const { deposit, withdrawn, isCloser, balanceHash, nonce, locksroot, locked } = side;
      return words(deposit, withdrawn, isCloser, balanceHash, nonce, locksroot, locked);
    },
    'getMaxPossibleReceivableAmount(uint256,uint256,uint256,uint256,uint256,uint256)': (_, input) =>
      words(mostReceivable(input)),
  };
}

const numberOf = (state: ChannelState): bigint => BigInt(STATES.indexOf(state));

function infoOf(base: ChannelBase, id: bigint, [one, two]: [Address, Address]) {
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

/** What a participant can receive at most, before the channel's funds limit it. Source: Settlement.sol, receivable. */
function mostReceivable(input: Input): bigint {
  const [deposit, withdrawn] = [input.uint(), input.uint()];
  const own = { transferred: input.uint(), locked: input.uint() };
  const other = { transferred: input.uint(), locked: input.uint() };
  demand(isSettleOrder(own, other), 'TN: transfers not ordered');
  const sent = addSaturating(own.transferred, own.locked);
  const received = addSaturating(other.transferred, other.locked);
  const claim = addSaturating(received - sent, deposit);
  return claim > withdrawn ? claim - withdrawn : 0n;
}
