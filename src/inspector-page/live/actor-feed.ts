/**
 * One actor, live, for its views: its present state, and its steps as far as they are known. The first steps are
 * read from the actor's history; from there on the stream brings new ones.
 */

import { type Signal, signal } from '@preact/signals';
import { messageOf } from '../../basics/message-of.ts';
import { abortablePause, type InspectorSource } from '../../inspector/source.ts';
import type { ActorHistory, ActorView, StepRecords } from '../../inspector/wire.ts';

export type ActorFeed = {
  /** The actor now; null until the node has answered, and when the node does not have the actor any more. */
  view: Signal<ActorView | null>;
  /** The actor's state before the first of `steps`; null when that is not known. */
  base: Signal<ActorHistory['base']>;
  /** Oldest first; a new array with each change. */
  steps: Signal<readonly StepRecords[]>;
  hasMore: Signal<boolean>;
  /** What went wrong with the last request, as text for the reader; null: nothing. */
  problem: Signal<string | null>;
  /** Fetches older steps. */
  more(): Promise<void>;
  end(): void;
};

const STEPS_AT_ONCE = 200;
const RETRY_MS = 1_000;
/** After a step the actor is read again, but not more often than this. */
const REFRESH_MS = 200;

export function followActor(source: InspectorSource, actor: string): ActorFeed {
  const view = signal<ActorView | null>(null);
  const base = signal<ActorHistory['base']>(null);
  const steps = signal<readonly StepRecords[]>([]);
  const hasMore = signal(false);
  const problem = signal<string | null>(null);
  const path = `actors/${encodeURIComponent(actor)}`;
  let unfollow = () => {};
  const ending = new AbortController();
  let refreshing: ReturnType<typeof setTimeout> | null = null;

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      problem.value = null;
    } catch (error) {
      problem.value = messageOf(error);
    }
  }

  const refresh = () =>
    guarded(async () => {
      view.value = await source.read('actor', path);
    });

  function refreshSoon(): void {
    refreshing ??= setTimeout(() => {
      refreshing = null;
      void refresh();
    }, REFRESH_MS);
  }

  async function load(before: number | null): Promise<ActorHistory> {
    const query = {
      limit: String(STEPS_AT_ONCE),
      ...(before === null ? {} : { before: `${before}` }),
    };
    return source.read('history', `${path}/history`, query);
  }

  /** Tries until the node has answered: it may be down while the page is opened. */
  async function begin(): Promise<void> {
    while (!ending.signal.aborted) {
      await guarded(follow);
      if (problem.value === null) return;
      await abortablePause(RETRY_MS, ending.signal);
    }
  }

  async function follow(): Promise<void> {
    await refresh();
    const history = await load(null);
    if (ending.signal.aborted) return;
    base.value = history.base;
    steps.value = history.steps;
    hasMore.value = history.hasMore;
    const after = history.steps.at(-1)?.at(-1)?.seq ?? history.base?.seq ?? view.value?.seq ?? null;
    unfollow = source.follow({
      query: { actor },
      after,
      onSteps(added) {
        steps.value = [...steps.value, ...added];
        refreshSoon();
      },
      onState(state) {
        if (state === 'live') refreshSoon();
      },
    });
  }
  void begin();

  return {
    view,
    base,
    steps,
    hasMore,
    problem,
    more: () =>
      guarded(async () => {
        const first = steps.value[0]?.[0]?.seq ?? null;
        if (first === null) return;
        const older = await load(first);
        base.value = older.base;
        steps.value = [...older.steps, ...steps.value];
        hasMore.value = older.hasMore;
      }),
    end() {
      ending.abort();
      if (refreshing !== null) clearTimeout(refreshing);
      unfollow();
    },
  };
}
