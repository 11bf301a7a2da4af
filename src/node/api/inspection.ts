/** What a node shows to those who watch it: its journal, its actors, its proofs. Nothing here changes it. */
import type { Address, Hash } from '../../protocol/hex.ts';
import type { StoredState } from '../runtime/kinds.ts';

/**
 * One step of one actor, as the journal holds it. `event` is text of the codec: of a `spawn` its input, of
 * an `event` the event, of a `keyframe` the whole `{value, context}` after all steps before it; of a `stop`
 * it is empty. A machine is a pure function, so that everything else follows from these.
 *
 * A row with commit 0 is of an older version of the program: its `version` is 0 and unknown, its spawn was
 * not kept, nothing can be replayed from it. Such steps are a gap up to the actor's next keyframe. A keyframe
 * is true even where the steps before it do not lead there: charts change with the program, and a channel out
 * of an old copy of the database is frozen by hand (event `frozen`, then a keyframe).
 */
export type JournalStep = {
  seq: number;
  /** Counts commits; steps with the same number were written in one transaction. */
  commit: number;
  kind: 'spawn' | 'event' | 'keyframe' | 'stop';
  actor: string;
  /** `outside`, or the actor that told it. */
  cause: string;
  /** The step in which it was told; null for what came from outside. */
  causeSeq: number | null;
  event: string;
  /** The state after the step as dotted text. */
  state: string;
  /** Of the actor's stored shape. */
  version: number;
  block: bigint;
  /** Milliseconds since 1970. */
  time: number;
};

/** Everything that is asked for here is on disk; the oldest steps are dropped as new ones come. */
export type Journal = {
  /** The oldest and the newest number that are there; newest + 1 and newest when none is. */
  bounds(): { oldest: number; newest: number };
  /** The steps after `seq`, oldest first. */
  after(seq: number, limit: number): JournalStep[];
  /** The newest steps of an actor before `seq`, oldest of them first. */
  ofActor(actor: string, before: number, limit: number): JournalStep[];
  /** The newest spawn or keyframe of the actor before `seq`, or null when none is kept. */
  baseOf(actor: string, before: number): JournalStep | null;
  /** The actor's steps after `from` and before `before`, oldest first. */
  between(actor: string, from: number, before: number): JournalStep[];
  /** The ends of actors among the steps from `from` to `to`, newest first. */
  stops(from: number, to: number): JournalStep[];
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
  journal: Journal & {
    /** Calls `listener` after each commit that added steps, until the answer is called. */
    onNew(listener: () => void): () => void;
    /** The file that `openJournal` opens a second time; null when the database is not on disk. */
    file: string | null;
  };
  /** The live actors as they are on disk, and as the journal's newest step left them. */
  actors: {
    ids(): string[];
    /** Null when there is no such actor. */
    stateOf(id: string): StoredState | null;
  };
  /** The signed steps of one side before `before` (null: from the newest), newest first. */
  signedSteps(
    channel: string,
    side: 'own' | 'partner',
    before: bigint | null,
    limit: number,
  ): SignedStep[];
};
