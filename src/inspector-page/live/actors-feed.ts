/** All actors of a node, live: read once, then kept up to date by the stream, at most once per frame. */

import { type Signal, signal } from '@preact/signals';
import { messageOf } from '../../basics/message-of.ts';
import { abortablePause, type InspectorSource } from '../../inspector/source.ts';
import type { ListedActor, StepRecords } from '../../inspector/wire.ts';
import { applySteps, ROW_KINDS } from './actors-rows.ts';

export type ActorsFeed = {
  /** Changed in place; `version` counts the changes. Null until the node has answered. */
  rows: Signal<ReadonlyMap<string, ListedActor> | null>;
  version: Signal<number>;
  problem: Signal<string | null>;
  /** More actors have ended than are listed. */
  hasMore: Signal<boolean>;
  /** Number of steps that the stream has brought so far. */
  readonly steps: number;
  /** Reads the actors that have ended, too. */
  withEnded(): void;
  end(): void;
};

const RETRY_MS = 1_000;

export function followActors(source: InspectorSource): ActorsFeed {
  const rows = signal<Map<string, ListedActor> | null>(null);
  const version = signal(0);
  const problem = signal<string | null>(null);
  const hasMore = signal(false);
  const ending = new AbortController();
  let waiting: StepRecords[] = [];
  let steps = 0;
  let isEndedWanted = false;
  let unfollow = () => {};

  function apply(): void {
    const told = waiting;
    waiting = [];
    if (rows.value === null) return;
    const isWhole = applySteps(rows.value, told);
    version.value += 1;
    if (!isWhole) void load();
  }

  async function read(): Promise<number> {
    const query = isEndedWanted ? { ended: '1' } : {};
    const actors = await source.read('actors', 'actors', query);
    rows.value = new Map(actors.actors.map((row) => [row.actor, row]));
    version.value += 1;
    problem.value = null;
    hasMore.value = actors.hasMore;
    return actors.seq;
  }

  /** Reads the actors, and returns the step that they include; null when the feed has ended. */
  async function load(): Promise<number | null> {
    while (!ending.signal.aborted) {
      try {
        return await read();
      } catch (error) {
        problem.value = messageOf(error);
        await abortablePause(RETRY_MS, ending.signal);
      }
    }
    return null;
  }

  async function begin(): Promise<void> {
    const seq = await load();
    if (seq === null || ending.signal.aborted) return;
    unfollow = source.follow({
      query: { kinds: ROW_KINDS },
      after: seq,
      onSteps(told) {
        steps += told.length;
        if (waiting.length === 0) onFrame(apply);
        waiting.push(...told);
      },
      onState() {},
    });
  }
  void begin();

  return {
    rows,
    version,
    problem,
    hasMore,
    get steps() {
      return steps;
    },
    withEnded() {
      if (isEndedWanted) return;
      isEndedWanted = true;
      void load();
    },
    end() {
      ending.abort();
      unfollow();
    },
  };
}

/** Calls `work` in the next frame. A hidden page gets no frames, but must not gather steps for ever. */
function onFrame(work: () => void): void {
  if (document.visibilityState === 'hidden') setTimeout(work, 250);
  else requestAnimationFrame(work);
}
