/** How actors begin and end during a turn, and what the batch and the journal record of it. */
import type { Spawn } from '../../../../machines/effects.ts';
import { keeperInstead } from '../../../../machines/keeper/keeping.ts';
import type { Actors } from '../actors/actors.ts';
import { kindOf, type StoredState } from '../actors/kinds.ts';
import type { Happenings } from '../happenings.ts';
import { isTaken, type UsedSecrets } from '../knowledge/secrethashes.ts';
import { type Cause, type JournalWriter, OUTSIDE } from './journal-writer.ts';
import type { OpenBatch } from './open-batch.ts';

type Options = {
  actors: Pick<Actors, 'nodeInput' | 'has' | 'stateOf' | 'spawn' | 'forget'>;
  journal: Pick<JournalWriter, 'spawn' | 'stop'>;
  /** For each actor that handled the current delivery or was spawned by it: the cause of its effects. */
  steps: Map<string, Cause>;
  /** Which payments and actors have ended, on disk or in the open batch. */
  known(): UsedSecrets;
  /** The batch that this turn joins; a new one after every commit. */
  open(): OpenBatch;
  nowBlock(): bigint;
  tell: Happenings['tell'];
};

export function createLifecycle(options: Options) {
  const { actors, journal, steps, known } = options;
  let { nodeInput } = actors;

  function give(spawn: Spawn, told: Cause) {
    if (actors.has(spawn.id)) return;
    // A chain reorganisation can bring a lock back; every other actor that has ended stays ended.
    if (spawn.type === 'spawn.keeper') options.open().unretire(spawn.id);
    const input = { ...spawn.input, id: spawn.id };
    note(spawn.id, input, actors.spawn(spawn.id, input), told);
    if (spawn.type === 'spawn.channel') {
      const { token, partner, openBlock } = spawn.input;
      options.open().batch.channels.push({ id: spawn.id, token, partner, openBlock });
    }
    options.tell('spawned', spawn);
  }

  function note(id: string, input: unknown, state: StoredState, told: Cause) {
    options.open().change(id);
    steps.set(id, {
      cause: id,
      causedBy: journal.spawn(id, input, state, options.nowBlock(), told),
    });
    options.tell('changed', id, state);
  }

  /** Whether the batch adds the payment to the history, where its secrethash remembers it: most likely just now. */
  function isRemembered(id: string) {
    const secrethash = id.split(':')[1];
    const { payments } = options.open().batch;
    return payments.findLast((payment) => payment.secrethash === secrethash) !== undefined;
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
    /** Spawns the actor; a keeper instead when a payment with the same secrethash exists or existed. */
    spawn(spawn: Spawn, told: Cause) {
      if (!isTaken(spawn, actors, known())) return give(spawn, told);
      const keeper = keeperInstead(spawn);
      if (keeper !== null) give(keeper, told);
    },
    /** Called when the actor has reached its end. */
    retire(id: string) {
      const kind = kindOf(id);
      const end = actors.stateOf(id);
      if (end !== null) journal.stop(id, end, options.nowBlock(), steps.get(id) ?? OUTSIDE);
      actors.forget(id);
      const isEnded = !isRemembered(id) && kind !== 'keeper';
      options.open().retire(id, { isEnded, isGone: kind === 'channel' });
      options.tell('ended', id);
    },
  };
}
