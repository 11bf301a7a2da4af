/** Which step of an actor is shown: a fixed one, or always the newest. */
import { useEffect, useState } from 'preact/hooks';
import type { ActorFeed } from '../../live/actor-feed.ts';
import { seqAt, stepIndex } from './places.ts';

export type ChosenStep = {
  /** The index of the step in the feed's steps. */
  at: number;
  /** Whether the newest step is shown. */
  isLive: boolean;
  /** The step in the address is older than all known steps, and older ones are being read. */
  isFetching: boolean;
  choose(at: number): void;
  goLive(): void;
};

/** `asked`: the number of a step, from the address; null: the newest. Older steps are read until it is found. */
export function useChosen(feed: ActorFeed, asked: number | null): ChosenStep {
  const [seq, setSeq] = useState(asked);
  useEffect(() => setSeq(asked), [asked, feed]);
  const steps = feed.steps.value;
  const isOlder = seq !== null && steps.length > 0 && stepIndex(steps, seq) < 0;
  const isFetching = isOlder && feed.hasMore.value && feed.problem.value === null;
  useEffect(() => {
    if (isFetching) void feed.more();
  }, [isFetching, steps, feed]);
  const last = steps.length - 1;
  return {
    at: seq === null ? last : Math.max(0, stepIndex(steps, seq)),
    isLive: seq === null,
    isFetching,
    choose: (at) => setSeq(seqAt(steps, Math.max(0, Math.min(last, at)))),
    goLive: () => setSeq(null),
  };
}
