/**
 * The events of a channel, one definition each: as its contract emits it, as a node gets and stores it, and as the API
 * shows it. A new event is defined here and added to the table below; code that does not handle it then does not
 * compile. Generation 0.40 of the contracts.
 */
import * as v from 'valibot';
import { parseAbiItem } from 'viem';
import type { Address, Hash } from '../basics/hex.ts';
import { uint } from '../protocol/shapes.ts';
import * as text from '../protocol/text-shapes.ts';
import { addressField, defineEvent, hashField, type Position } from './event-definition.ts';

const opened = defineEvent({
  abi: parseAbiItem(
    'event ChannelOpened(uint256 indexed channelId, address indexed participant1, address indexed participant2, uint256 settleTimeout)',
  ),
  type: 'chain.channelOpened',
  stored: { participant1: addressField, participant2: addressField, settleTimeout: uint },
  answer: {
    participant1: text.address,
    participant2: text.address,
    settle_timeout: text.decimal,
  },
  toAnswer: ({ participant1, participant2, settleTimeout }) => ({
    participant1,
    participant2,
    settle_timeout: String(settleTimeout),
  }),
});

const deposit = defineEvent({
  abi: parseAbiItem(
    'event ChannelNewDeposit(uint256 indexed channelId, address indexed participant, uint256 totalDeposit)',
  ),
  type: 'chain.channelDeposit',
  stored: { participant: addressField, totalDeposit: uint },
  answer: { participant: text.address, total_deposit: text.decimal },
  toAnswer: ({ participant, totalDeposit }) => ({
    participant,
    total_deposit: String(totalDeposit),
  }),
});

const withdraw = defineEvent({
  abi: parseAbiItem(
    'event ChannelWithdraw(uint256 indexed channelId, address indexed participant, uint256 totalWithdraw)',
  ),
  type: 'chain.channelWithdraw',
  stored: { participant: addressField, totalWithdraw: uint },
  answer: { participant: text.address, total_withdraw: text.decimal },
  toAnswer: ({ participant, totalWithdraw }) => ({
    participant,
    total_withdraw: String(totalWithdraw),
  }),
});

type Proof = { closer: Address; nonce: bigint; balanceHash: Hash };
// What a close and an update say of the balance proof that was brought.
const proof = {
  stored: { closer: addressField, nonce: uint, balanceHash: hashField },
  answer: { closing_participant: text.address, nonce: text.decimal, balance_hash: text.hash },
  toAnswer: ({ closer, nonce, balanceHash }: Proof) => ({
    closing_participant: closer,
    nonce: String(nonce),
    balance_hash: balanceHash,
  }),
};

// Nonce and balance hash are those of the other side's balance proof that the closer brought.
const closed = defineEvent({
  abi: parseAbiItem(
    'event ChannelClosed(uint256 indexed channelId, address indexed closer, uint256 indexed nonce, bytes32 balanceHash)',
  ),
  type: 'chain.channelClosed',
  ...proof,
});

// Nonce and balance hash are those of the closer's balance proof.
const proofUpdated = defineEvent({
  abi: parseAbiItem(
    'event NonClosingBalanceProofUpdated(uint256 indexed channelId, address indexed closer, uint256 indexed nonce, bytes32 balanceHash)',
  ),
  type: 'chain.proofUpdated',
  ...proof,
});

const settled = defineEvent({
  abi: parseAbiItem(
    'event ChannelSettled(uint256 indexed channelId, address participant1, uint256 amount1, bytes32 locksroot1, address participant2, uint256 amount2, bytes32 locksroot2)',
  ),
  type: 'chain.channelSettled',
  stored: {
    participant1: addressField,
    amount1: uint,
    locksroot1: hashField,
    participant2: addressField,
    amount2: uint,
    locksroot2: hashField,
  },
  answer: {
    participant1: text.address,
    participant1_amount: text.decimal,
    participant1_locksroot: text.hash,
    participant2: text.address,
    participant2_amount: text.decimal,
    participant2_locksroot: text.hash,
  },
  toAnswer: (log) => ({
    participant1: log.participant1,
    participant1_amount: String(log.amount1),
    participant1_locksroot: log.locksroot1,
    participant2: log.participant2,
    participant2_amount: String(log.amount2),
    participant2_locksroot: log.locksroot2,
  }),
});

const unlocked = defineEvent({
  abi: parseAbiItem(
    'event ChannelUnlocked(uint256 indexed channelId, address indexed receiver, address indexed sender, bytes32 locksroot, uint256 unlockedAmount, uint256 returnedTokens)',
  ),
  type: 'chain.channelUnlocked',
  stored: {
    receiver: addressField,
    sender: addressField,
    locksroot: hashField,
    unlockedAmount: uint,
    returnedTokens: uint,
  },
  answer: {
    receiver: text.address,
    sender: text.address,
    locksroot: text.hash,
    unlocked_amount: text.decimal,
    returned_tokens: text.decimal,
  },
  toAnswer: ({ receiver, sender, locksroot, unlockedAmount, returnedTokens }) => ({
    receiver,
    sender,
    locksroot,
    unlocked_amount: String(unlockedAmount),
    returned_tokens: String(returnedTokens),
  }),
});

const EVENTS = {
  [opened.type]: opened,
  [deposit.type]: deposit,
  [withdraw.type]: withdraw,
  [closed.type]: closed,
  [proofUpdated.type]: proofUpdated,
  [settled.type]: settled,
  [unlocked.type]: unlocked,
};
type EventType = keyof typeof EVENTS;
type Logs = { [T in EventType]: v.InferOutput<(typeof EVENTS)[T]['log']> };
/** The log of one event, or of any of several events. */
type Log<T extends EventType> = { [K in T]: { type: K } & Logs[K] }[T];
type Answer<T extends EventType> = { [K in T]: v.InferOutput<(typeof EVENTS)[K]['answer']> }[T];

const LIST = Object.values(EVENTS);
const TYPE_OF = new Map(LIST.map(({ abi, type }) => [abi.name, type] as const));
// The same definitions by type, so that the compiler sees that a log and its answer belong together.
const EACH: { readonly [T in EventType]: { toAnswer(log: Log<T>): Answer<T> } } = EVENTS;

export const channelEventsAbi = LIST.map(({ abi }) => abi);

/** A confirmed log of a channel's token network. */
export const channelLog = v.variant(
  'type',
  LIST.map(({ log }) => log),
);
export type ChannelLog = v.InferOutput<typeof channelLog>;

/** What the API shows of a log, for each event. */
export const channelLogAnswers = LIST.map(({ answer }) => answer);

/** A log as the API shows it, under its event's name in the contract. */
export function answerOfLog<T extends EventType>(log: Log<T>): Answer<T> {
  return EACH[log.type].toAnswer(log);
}

type Decoded = { eventName: (typeof channelEventsAbi)[number]['name']; args: object };

/** Throws when the arguments are not those of the event. */
export function channelLogOf(
  { eventName, args }: Decoded,
  place: { tokenNetwork: Address; at: Position },
): ChannelLog {
  return v.parse(channelLog, { ...args, ...place, type: TYPE_OF.get(eventName) });
}
