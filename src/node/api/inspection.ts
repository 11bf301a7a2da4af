/** What a node shows to those who watch it: its journal, its actors, its proofs. Nothing here changes it. */
import type { Tx } from '../../../machines/effects.ts';
import type { Address, Hash } from '../../basics/hex.ts';
import type { Waiting } from '../chain/gas/ledger.ts';
import type { OpenTrouble } from '../health/check.ts';
import type { StoredState } from '../runtime/actors/kinds.ts';

/**
 * One step of one actor, as the journal holds it. `event` is text of the codec: the input of a `spawn`, the event of an
 * `event`, the whole `{value, context}` after all earlier steps in a `keyframe`, and empty in a `stop`. A machine is a
 * pure function, so everything else follows from these.
 *
 * A keyframe is true even where the steps before it do not lead to it: charts change with the program, and a channel of an
 * old copy of the database is frozen by hand (event `frozen`, then a keyframe).
 */
export type JournalStep = {
  seq: number;
  /** Counts commits; steps with the same number were written in one transaction. */
  commit: number;
  kind: 'spawn' | 'event' | 'keyframe' | 'stop';
  actor: string;
  /** `outside`, or the id of the actor that sent the event. */
  cause: string;
  /** The `seq` of the step in which that actor sent the event; null for an event from outside. */
  causeSeq: number | null;
  event: string;
  /** The state after the step as dotted text. */
  state: string;
  /** The version of the actor's stored shape. */
  version: number;
  block: bigint;
  /** Milliseconds since 1970. */
  time: number;
};

/** Reads from disk; the oldest steps are dropped as new ones are written. */
export type Journal = {
  /** The oldest and the newest `seq` that are kept; `newest + 1` and `newest` when none is. */
  bounds(): { oldest: number; newest: number };
  /** The steps after `seq`, oldest first. */
  after(seq: number, limit: number): JournalStep[];
  /** The newest steps of an actor before `seq`, in ascending order. */
  ofActor(actor: string, before: number, limit: number): JournalStep[];
  /** The newest spawn or keyframe of the actor before `seq`, or null when none is kept. */
  baseOf(actor: string, before: number): JournalStep | null;
  /** The actor's steps after `from` and before `before`, oldest first. */
  between(actor: string, from: number, before: number): JournalStep[];
  /** The `stop` steps of all actors from `from` to `to`, newest first. */
  stops(from: number, to: number): Omit<JournalStep, 'event'>[];
};

/** One signed step of one side of a channel, without its signature. */
export type SignedStep = {
  nonce: bigint;
  transferredAmount: bigint;
  lockedAmount: bigint;
  locksroot: Hash;
};

export type Inspection = {
  facts: { address: Address; chainId: bigint; version: string; revealTimeout: bigint };
  tokens(): Address[];
  nowBlock(): bigint;
  /** What is bad now of all that the node keeps, the urgent first. */
  troubles(): readonly OpenTrouble[];
  journal: Journal & {
    /** Calls `listener` after each commit that added steps, until the returned function is called. */
    onNew(listener: () => void): () => void;
    /** The file that `openJournal` opens a second time; null when the database is not on disk. */
    file: string | null;
  };
  /** The actors as they are on disk, which is also the state after the journal's newest step. */
  actors: {
    ids(): string[];
    /** Null when there is no such actor. */
    stateOf(id: string): StoredState | null;
  };
  /** Why a transaction of this type that the actor asked for is not sent now; null: none waits; undefined: not known. */
  whyWaits(actor: string, type: Tx['type']): Waiting | null | undefined;
  /** The signed steps of one side with a nonce below `before` (null: from the newest), newest first. */
  signedSteps(
    channel: string,
    side: 'own' | 'partner',
    before: bigint | null,
    limit: number,
  ): SignedStep[];
};
