/** The slider over the known steps, with buttons to its ends. */

import { groupDigits } from '../../../basics/digits.ts';
import { pageHash } from '../../base/router.ts';
import type { ActorFeed } from '../../live/actor-feed.ts';
import type { ChosenStep } from './chosen.ts';
import { timeText } from './list.tsx';
import { showBlock } from './values.ts';

export function HistoryBar({
  actor,
  feed,
  chosen,
}: {
  actor: string;
  feed: ActorFeed;
  chosen: ChosenStep;
}) {
  const { at, isLive } = chosen;
  const steps = feed.steps.value;
  const last = steps.length - 1;
  const record = steps[at]?.[0];
  const text =
    record === undefined
      ? ''
      : `step ${groupDigits(at + 1)} of ${groupDigits(steps.length)}, ${showBlock(record.block)}, ${timeText(record.time)}`;
  return (
    <div class="history-bar">
      <button type="button" disabled={!feed.hasMore.value} onClick={() => void feed.more()}>
        {feed.hasMore.value ? 'Load older' : 'From the first known'}
      </button>
      <button
        type="button"
        aria-label="One step back"
        disabled={at <= 0}
        onClick={() => chosen.choose(at - 1)}
      >
        ◀
      </button>
      <input
        type="range"
        min={0}
        max={last}
        value={at}
        aria-label="Step"
        aria-valuetext={text}
        onInput={(event) => chosen.choose(Number(event.currentTarget.value))}
      />
      <button
        type="button"
        aria-label="One step on"
        disabled={at >= last}
        onClick={() => chosen.choose(at + 1)}
      >
        ▶
      </button>
      <button type="button" aria-pressed={isLive} onClick={chosen.goLive}>
        {isLive ? '● Live' : 'Go live'}
      </button>
      <output class="history-where">{chosen.isFetching ? 'fetching older steps …' : text}</output>
      {record !== undefined && (
        <a class="button" href={pageHash({ view: 'chart', actor, step: record.seq })}>
          Show on chart
        </a>
      )}
    </div>
  );
}
