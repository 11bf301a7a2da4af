/** How actors begin and end in the course of a turn: what the batch and the journal keep of it. */
import type { Spawn } from '../../../machines/effects.ts';
import { keeperInstead } from '../../../machines/keeper/keeping.ts';
import type { Actors } from './actors.ts';
import { type Cause, type JournalKeeper, OUTSIDE } from './journal-keeper.ts';
import { kindOf, type StoredState } from './kinds.ts';
import type { OpenBatch } from './open-batch.ts';
import { isTaken, type Known } from './secrethashes.ts';

type Options = {
  actors: Pick<Actors, 'nodeInput' | 'has' | 'stateOf' | 'spawn' | 'forget'>;
  journal: Pick<JournalKeeper, 'spawn' | 'stop'>;
  /** Of each actor that the current delivery has moved or spawned: what its effects are due to. */
  steps: Map<string, Cause>;
  /** What has ended, on disk or a moment ago. */
  known(): Known;
  /** The batch that this turn joins; another one after every commit. */
  open(): OpenBatch;
  nowBlock(): bigint;
  onChanged(id: string, wakeBlock: bigint | null): void;
  onSpawned(spawn: Spawn): void;
  onEnded(id: string): void;
};

export function createLifecycle(options: Options) {
  const { actors, journal, steps, known } = options;
  let { nodeInput } = actors;

  function give(spawn: Spawn, told: Cause) {
    if (actors.has(spawn.id)) return;
    // A chain reorganisation can bring a lock back; every other actor that has ended stays ended.
    if (spawn.type === 'spawn.keeper') unretire(spawn.id);
    const input = { ...spawn.input, id: spawn.id };
    note(spawn.id, input, actors.spawn(spawn.id, input), told);
    if (spawn.type === 'spawn.channel') {
      const { token, partner, openBlock } = spawn.input;
      options.open().batch.channels.push({ id: spawn.id, token, partner, openBlock });
    }
    options.onSpawned(spawn);
  }

  function unretire(id: string) {
    const { batch } = options.open();
    batch.retired = batch.retired.filter((retired) => retired !== id);
  }

  function note(id: string, input: unknown, state: StoredState, told: Cause) {
    options.open().changed.add(id);
    steps.set(id, {
      cause: id,
      causedBy: journal.spawn(id, input, state, options.nowBlock(), told),
    });
    options.onChanged(id, state.context.wakeBlock);
  }

  /** A payment that enters the history is known by its secrethash. */
  function isRemembered(id: string) {
    const secrethash = id.split(':')[1];
    const { payments } = options.open().batch;
    return payments.some((payment) => payment.secrethash === secrethash);
  }

  return {
    /** The node's own actor was spawned before there was an engine, when its row was not found. */
    spawnNode() {
      if (nodeInput === null) return;
      const input = nodeInput;
      nodeInput = null;
      const state = actors.stateOf('node');
      if (state !== null) note('node', input, state, OUTSIDE);
    },
    /** Where a payment with the same secrethash is or was, a keeper takes the place of the actor. */
    spawn(spawn: Spawn, told: Cause) {
      if (!isTaken(spawn, actors, known())) return give(spawn, told);
      const keeper = keeperInstead(spawn);
      if (keeper !== null) give(keeper, told);
    },
    /** The actor has reached its end. */
    retire(id: string) {
      const { batch, changed, afterwards } = options.open();
      const end = actors.stateOf(id);
      if (end !== null) journal.stop(id, end, options.nowBlock(), steps.get(id) ?? OUTSIDE);
      actors.forget(id);
      changed.delete(id);
      batch.retired.push(id);
      if (!isRemembered(id) && kindOf(id) !== 'keeper') batch.ended.push(id);
      if (kindOf(id) === 'channel') afterwards.push({ type: 'dropProofs', channel: id });
      options.onEnded(id);
    },
  };
}
