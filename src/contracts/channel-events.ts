/**
 * The events of a channel: as its contract emits them, as a node gets them, and as they are stored. A new event is
 * added here; code that does not handle it then does not compile. Generation 0.40 of the contracts.
 */
import * as v from 'valibot';
import { parseAbi } from 'viem';
import { type Address, type Hash, isHexOf } from '../protocol/hex.ts';

const address = v.custom<Address>((value) => isHexOf(value, 20));
const hash = v.custom<Hash>((value) => isHexOf(value, 32));
const uint = v.pipe(v.bigint(), v.minValue(0n));

/** The place of a log on the chain. */
export type Position = { block: bigint; logIndex: number; transactionHash: Hash };

const ofChannel = {
  tokenNetwork: address,
  channelId: uint,
  at: v.object({ block: uint, logIndex: v.number(), transactionHash: hash }),
};

export const channelEventsAbi = parseAbi([
  'event ChannelOpened(uint256 indexed channelId, address indexed participant1, address indexed participant2, uint256 settleTimeout)',
  'event ChannelNewDeposit(uint256 indexed channelId, address indexed participant, uint256 totalDeposit)',
  'event ChannelWithdraw(uint256 indexed channelId, address indexed participant, uint256 totalWithdraw)',
  'event ChannelClosed(uint256 indexed channelId, address indexed closer, uint256 indexed nonce, bytes32 balanceHash)',
  'event NonClosingBalanceProofUpdated(uint256 indexed channelId, address indexed closer, uint256 indexed nonce, bytes32 balanceHash)',
  'event ChannelSettled(uint256 indexed channelId, address participant1, uint256 amount1, bytes32 locksroot1, address participant2, uint256 amount2, bytes32 locksroot2)',
  'event ChannelUnlocked(uint256 indexed channelId, address indexed receiver, address indexed sender, bytes32 locksroot, uint256 unlockedAmount, uint256 returnedTokens)',
]);
type EventName = (typeof channelEventsAbi)[number]['name'];

const TYPE_OF = {
  ChannelOpened: 'chain.channelOpened',
  ChannelNewDeposit: 'chain.channelDeposit',
  ChannelWithdraw: 'chain.channelWithdraw',
  ChannelClosed: 'chain.channelClosed',
  NonClosingBalanceProofUpdated: 'chain.proofUpdated',
  ChannelSettled: 'chain.channelSettled',
  ChannelUnlocked: 'chain.channelUnlocked',
} as const satisfies Record<EventName, ChannelLog['type']>;

/** A confirmed log of a channel's token network. */
export const channelLog = v.variant('type', [
  v.object({
    type: v.literal('chain.channelOpened'),
    ...ofChannel,
    participant1: address,
    participant2: address,
    settleTimeout: uint,
  }),
  v.object({
    type: v.literal('chain.channelDeposit'),
    ...ofChannel,
    participant: address,
    totalDeposit: uint,
  }),
  v.object({
    type: v.literal('chain.channelWithdraw'),
    ...ofChannel,
    participant: address,
    totalWithdraw: uint,
  }),
  // Nonce and balance hash are those of the other side's balance proof that the closer brought.
  v.object({
    type: v.literal('chain.channelClosed'),
    ...ofChannel,
    closer: address,
    nonce: uint,
    balanceHash: hash,
  }),
  // Nonce and balance hash are those of the closer's balance proof.
  v.object({
    type: v.literal('chain.proofUpdated'),
    ...ofChannel,
    closer: address,
    nonce: uint,
    balanceHash: hash,
  }),
  v.object({
    type: v.literal('chain.channelSettled'),
    ...ofChannel,
    participant1: address,
    amount1: uint,
    locksroot1: hash,
    participant2: address,
    amount2: uint,
    locksroot2: hash,
  }),
  v.object({
    type: v.literal('chain.channelUnlocked'),
    ...ofChannel,
    receiver: address,
    sender: address,
    locksroot: hash,
    unlockedAmount: uint,
    returnedTokens: uint,
  }),
]);
export type ChannelLog = v.InferOutput<typeof channelLog>;

type Decoded = { eventName: EventName; args: object };

/** Throws when the arguments are not those of the event. */
export function channelLogOf(
  { eventName, args }: Decoded,
  place: { tokenNetwork: Address; at: Position },
): ChannelLog {
  return v.parse(channelLog, { ...args, ...place, type: TYPE_OF[eventName] });
}
