/** What the node has and does, read again when something has changed: once a second at most, and by one request at a time. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { messageOf } from '../../basics/message-of.ts';
import { abortablePause, type InspectorSource } from '../../inspector/source.ts';
import type { NodeFacts, Overview } from '../../inspector/wire.ts';

const LEAST_PAUSE_MS = 250;
/** A read that takes long is followed by a pause that is so many times as long: looking must not slow the node down. */
const PAUSES = 10;

/** `query`: which channels are wanted; `overview` null: the node has not answered yet. */
export function useOverview(
  source: InspectorSource,
  facts: NodeFacts | null,
  query: Record<string, string>,
) {
  const feed = useMemo(() => createFeed(source), [source]);
  useEffect(() => feed.end, [feed]);
  const wanted = JSON.stringify(query);
  useEffect(() => feed.ask(query), [feed, wanted, facts?.seq, facts?.block]);
  return { overview: feed.overview.value, problem: feed.problem.value };
}

function createFeed(source: InspectorSource) {
  const overview = signal<Overview | null>(null);
  const problem = signal<string | null>(null);
  const ending = new AbortController();
  /** What is to be read next; null: nothing has changed since the last request. */
  let wanted: Record<string, string> | null = null;
  let isReading = false;

  async function read(query: Record<string, string>): Promise<void> {
    try {
      overview.value = await source.read('overview', 'overview', query);
      problem.value = null;
    } catch (error) {
      problem.value = messageOf(error);
    }
  }

  async function run(): Promise<void> {
    isReading = true;
    while (wanted !== null && !ending.signal.aborted) {
      const query = wanted;
      wanted = null;
      const begun = performance.now();
      await read(query);
      const took = performance.now() - begun;
      await abortablePause(Math.max(LEAST_PAUSE_MS, took * PAUSES), ending.signal);
    }
    isReading = false;
  }

  return {
    overview,
    problem,
    ask(query: Record<string, string>): void {
      wanted = query;
      if (!isReading) void run();
    },
    end: () => ending.abort(),
  };
}
