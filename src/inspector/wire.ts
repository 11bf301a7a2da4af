/**
 * The data that the inspector sends: the stream's records and the answers under `/inspector/`, with secrets
 * replaced. A bigint is a decimal string (`"5"`); with `numbers=tagged` in the query it is marked as a number
 * (`{"$bigint":"5"}`), as this program's own readers want it.
 *
 * Amounts in the token's smallest unit, heights are confirmed blocks, times milliseconds since 1970.
 */
import type { Address } from '../basics/hex.ts';
import type { OpenTrouble } from '../node/health/check.ts';

/** In place of a secret, a signature or a key. */
export type Redacted = { $redacted: 'secret' | 'signature' | 'key' };

/** One change of a context (RFC 6902; paths are JSON pointers). A `remove` has no value. */
export type PatchOperation =
  | { op: 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string };
export type Patch = readonly PatchOperation[];

/**
 * Why a step happened. `outside`: because of the chain, a partner, the clock or a caller, as the event's own type
 * says (`chain.`, `msg.`, `cmd.`, …). `actor`: because of another actor; `seq` is the journal's number of that
 * actor's step, null when unknown.
 */
export type StepCause = { from: 'outside' } | { from: 'actor'; actor: string; seq: number | null };

/**
 * `seq` is the step's number in the journal: it grows, is never used again, and is the id that a stream is
 * resumed with. `part` counts the records of one step from 0.
 */
type OfStep = {
  seq: number;
  part: number;
  actor: string;
  cause: StepCause;
  block: bigint;
  time: number;
};

/** One value that a guard looked at: where (`context.ownEnd.deposit`, `event.amount`), and what it was. */
export type GuardRead = { path: string; value: unknown };

export type InspectionRecord =
  /** The actor was spawned; with `isRestored` it lived before, and the record is its present state. */
  | (OfStep & {
      kind: 'spawn';
      machine: string;
      version: string;
      input: unknown;
      state: string;
      context: unknown;
      isRestored: boolean;
    })
  | (OfStep & { kind: 'event'; event: { type: string } & Record<string, unknown> })
  /** `transition`: the id of the edge that asked; `reads` is cut after 40 values. */
  | (OfStep & {
      kind: 'guard';
      guard: string;
      params: unknown;
      transition: string | null;
      isOpen: boolean;
      reads: readonly GuardRead[];
    })
  /**
   * What the event did: the edges that were taken in order (none: the event changed nothing), the states
   * before and after as dotted text, and what of the context changed.
   */
  | (OfStep & {
      kind: 'transition';
      from: string;
      to: string;
      edges: readonly string[];
      patch: Patch;
      /** The nearest block at which something is due after this step; null without one. */
      deadlineBlock: bigint | null;
      /** What each side of a channel owns after this step; null for other actors and when it is not known. */
      balances: ChannelBalances | null;
    })
  | (OfStep & { kind: 'effect'; effect: { type: string } & Record<string, unknown> })
  /** Everything up to here is on disk, in one transaction that began with step `first`. */
  | (OfStep & { kind: 'commit'; commit: number; first: number })
  | (OfStep & { kind: 'stop'; state: string })
  /**
   * Steps whose records are missing. `old`: the journal no longer has them; `slow`: this reader did not keep up;
   * `other`: they were made by another version of the charts. `seq` is the last of them, `first` the first.
   */
  | (OfStep & { kind: 'gap'; first: number; reason: 'old' | 'slow' | 'other' });
export type InspectionKind = InspectionRecord['kind'];

/**
 * `GET /inspector/events`: one server-sent event `step` for each step, its id the step's `seq`, its data all
 * of that step's records. `actor` and `machine` narrow the stream, `kinds` (comma separated) the records.
 */
export type StepRecords = readonly InspectionRecord[];

/** One edge of a chart. `id` is unique in the machine; an eventless edge has the event ''. */
export type EdgeDefinition = {
  id: string;
  source: string;
  /** Empty: the actor stays in its state. */
  targets: readonly string[];
  event: string;
  /** The conditions, all of which must be met: `isSafe`, `isFailedJob(close)`, `not isSafe`, `isSafe or isLate`. */
  guards: readonly string[];
  actions: readonly string[];
  isReentering: boolean;
  description: string;
};
/**
 * One state. `id` is its dotted path below the root (`opened.deposit.idle`), '' for the root; `initial` the
 * name of the state that a compound one begins in.
 */
export type StateDefinition = {
  id: string;
  name: string;
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  initial: string | null;
  entry: readonly string[];
  exit: readonly string[];
  description: string;
  edges: readonly EdgeDefinition[];
  states: readonly StateDefinition[];
};
/** `version` is a hash of the definition: charts with the same version are the same. */
export type MachineDefinition = {
  machine: string;
  version: string;
  description: string;
  root: StateDefinition;
  /** Name (without parameters) -> the sentence that explains it. */
  guards: Readonly<Record<string, string>>;
  actions: Readonly<Record<string, string>>;
};
/** `GET /inspector/machines`. */
export type Machines = { machines: readonly MachineDefinition[] };

export type ChannelBalances = { own: bigint; partner: bigint };

/** An actor in the list. Facts that the actor does not have are null. */
export type ListedActor = {
  actor: string;
  machine: string;
  state: string;
  token: Address | null;
  partner: Address | null;
  /** Who pays and who is paid, as the payment says; null where the node does not know it. */
  initiator: Address | null;
  target: Address | null;
  /** What each side of a channel owns, the locks that it has given included; null for other actors. */
  balances: ChannelBalances | null;
  paymentId: bigint | null;
  amount: bigint | null;
  /** The nearest block at which something is due; null without one. */
  deadlineBlock: bigint | null;
  isEnded: boolean;
  /** When it ended; null: it has not ended, or the time is no longer known. */
  endTime: number | null;
};
/** `GET /inspector/actors`: as of the step `seq`, from which the stream goes on. */
export type ActorList = {
  block: bigint;
  seq: number;
  /** More actors have ended than are listed. */
  hasMore: boolean;
  actors: readonly ListedActor[];
};

/** One thing that has to happen, or may happen, at a block. */
export type Deadline = {
  /**
   * What the deadline is about. `plan`: a planned withdrawal from the user deposit; `leave`: leaving a token
   * network.
   */
  what: 'lock' | 'update' | 'settle' | 'unlock' | 'withdraw' | 'payment' | 'plan' | 'leave';
  /** Secrethash of the lock, or null. */
  secrethash: string | null;
  /** Whose lock it is: `own`: this node pays with it; `partner`: it pays this node. */
  side: 'own' | 'partner' | null;
  amount: bigint | null;
  /** From `dangerBlock` on waiting is not safe; at `expiryBlock` it is too late (null: never). */
  dangerBlock: bigint | null;
  expiryBlock: bigint | null;
  /** What the node plans, as a sentence, and when it does something next (null: it waits). */
  action: string;
  actionBlock: bigint | null;
};

/** One side of a channel. `capacity` is what it can pay now. */
export type MoneySide = {
  address: Address;
  deposit: bigint;
  withdrawn: bigint;
  /** The amount of withdrawals that are requested or agreed to but not on chain; a close voids them. */
  reserved: bigint;
  /** What the side owns; the locks that it has given are still included. */
  balance: bigint;
  locked: bigint;
  capacity: bigint;
  nonce: bigint;
};
/** What each side gets from a settlement; `ownLocks`, `partnerLocks` are amounts that are still to be unlocked. */
export type Payout = {
  own: bigint;
  partner: bigint;
  ownLocks: bigint;
  partnerLocks: bigint;
};
/** `isConserved`: balances + withdrawn + reserved = deposits. `closedNow`: the settlement with both newest proofs. */
export type Money = {
  own: MoneySide;
  partner: MoneySide;
  isConserved: boolean;
  closedNow: Payout;
};

/** `GET /inspector/actors/<id>`. `context` is redacted. `next`: the events that an active state handles. */
export type ActorView = {
  block: bigint;
  seq: number;
  row: ListedActor;
  version: string;
  context: unknown;
  next: readonly string[];
  deadlines: readonly Deadline[];
  /** Null unless the actor is a channel. */
  money: Money | null;
};

/** A settlement with an older balance proof of one side and the newest of the other. */
export type ProofPayout = {
  side: 'own' | 'partner';
  nonce: bigint;
  transferredAmount: bigint;
  lockedAmount: bigint;
  locksroot: string;
  payout: Payout;
};
/** `GET /inspector/actors/<id>/proofs?side=own|partner&before=NONCE&limit=N`, newest first. */
export type Proofs = { proofs: readonly ProofPayout[]; hasMore: boolean };

/**
 * `GET /inspector/actors/<id>/history?before=SEQ&limit=N`: the newest steps before `before`, oldest first.
 * `base` is the actor as it was before the first of them; null when that is not known (the steps then begin
 * with a spawn or a gap).
 */
export type ActorHistory = {
  base: { seq: number; state: string; context: unknown } | null;
  steps: readonly StepRecords[];
  hasMore: boolean;
};

/** `GET /inspector/node`. */
export type NodeFacts = {
  address: Address;
  chainId: bigint;
  version: string;
  block: bigint;
  /** The blocks between a lock's danger and its expiry, unless a channel has its own. */
  revealTimeout: bigint;
  /** The newest step of the journal: what the node shows changes with it, and with the block. */
  seq: number;
  tokens: readonly Address[];
  troubles: readonly OpenTrouble[];
};

/** `own`, `partner`: both sides. `locks`: how many are pending. `dueBlock`: of a closed channel, from when on it
 * can be settled; of another the nearest deadline. */
export type ChannelLine = {
  actor: string;
  state: string;
  /** Whether payments can go through it. */
  isOpen: boolean;
  token: Address;
  own: MoneySide;
  partner: MoneySide;
  locks: number;
  dueBlock: bigint | null;
};
/** `mostPay`, `mostReceive`: in one channel. */
export type TokenSums = {
  token: Address;
  channels: number;
  open: number;
  canPay: bigint;
  canReceive: bigint;
  mostPay: bigint;
  mostReceive: bigint;
};
export const CHANNEL_ORDERS = ['due', 'pay', 'receive', 'size', 'number'] as const;
/**
 * `GET /inspector/overview?find=TEXT&state=all|open|ending&order=ORDER&from=N&limit=N`: what the node has and does, as of
 * the step `seq`. `blockSeconds`: what a block took of late; null: not known. `opening`: channels whose opening is not
 * confirmed yet. `payments`: those under way, then those that ended last; `live` counts the former, all of them.
 */
export type Overview = {
  block: bigint;
  seq: number;
  blockSeconds: number | null;
  tokens: readonly TokenSums[];
  opening: readonly { token: Address; partner: Address; deposit: bigint }[];
  /** `all`: there are; `found`: wanted; `shown`: on this page. */
  channels: { all: number; found: number; shown: readonly ChannelLine[] };
  payments: { live: number; shown: readonly ListedActor[] };
};

/**
 * `GET /inspector/labels`: what people call tokens (one whole token is 10^`decimals` units) and addresses. Symbol
 * and decimals are the token contract's own claims; names are given by the operator. `explorer`: the URL that shows
 * a transaction, with `{hash}` in place of its hash; absent: none.
 */
export type Labels = {
  tokens: readonly { address: Address; symbol: string; decimals: number }[];
  names: readonly { address: Address; name: string }[];
  explorer?: string;
};
