/** Time travel: an actor as it was after any of its steps, and how it got there. */
import { useMemo, useState } from 'preact/hooks';
import { groupDigits } from '../../../basics/digits.ts';
import type { StepRecords } from '../../../inspector/wire.ts';
import type { ActorViewProps } from '../view.ts';
import { HistoryBar } from './bar.tsx';
import { useChosen } from './chosen.ts';
import { Compare } from './compare.tsx';
import { changedPaths, diffRows } from './diff.ts';
import { StepList } from './list.tsx';
import { ViewPanel } from './panel.tsx';
import { seqAt, stepIndex } from './places.ts';
import { StepDetails } from './step.tsx';
import { createPastReader, type PastState } from './timeline.ts';
import { AmountsToken, ValueTree } from './value.tsx';
import { Why } from './why.tsx';

export function StepsView(props: ActorViewProps) {
  const { feed } = props;
  if (feed.steps.value.length > 0) return <Steps {...props} />;
  const isWaiting = feed.view.value === null;
  return (
    <section aria-label="History" class="history">
      <p class="quiet">
        {feed.problem.value ?? (isWaiting ? 'Waiting for the node …' : 'No step is known yet.')}
      </p>
    </section>
  );
}

function Steps({ actor, feed, source, step }: ActorViewProps) {
  const steps = feed.steps.value;
  const base = feed.base.value;
  const chosen = useChosen(feed, step);
  const readPast = useMemo(createPastReader, [feed]);
  const [pins, setPins] = useState<Pins>({ a: null, b: null });
  const { at } = chosen;
  const a = pins.a === null ? at - 1 : stepIndex(steps, pins.a);
  const b = pins.b === null ? at : stepIndex(steps, pins.b);
  const stateAt = (place: number) => readPast(base, steps, place);
  const isPinned = pins.a !== null || pins.b !== null;
  const marks = new Map<number, string>(isPinned ? [[a, 'A']] : []);
  if (isPinned) marks.set(b, a === b ? 'A B' : 'B');
  return (
    <AmountsToken.Provider value={feed.view.value?.row.token ?? null}>
      <section aria-label="History" class="history" data-record="">
        <HistoryBar actor={actor} feed={feed} chosen={chosen} />
        <div class="history-body">
          <StepList steps={steps} at={at} marks={marks} onChoose={chosen.choose} />
          <div class="history-main">
            <div class="history-pair">
              <ViewPanel title="This step">
                <StepDetails step={steps[at] ?? []} />
              </ViewPanel>
              <ViewPanel title="Why it is in this state">
                <Why
                  actor={actor}
                  source={source}
                  steps={steps}
                  at={at}
                  hasMore={feed.hasMore.value}
                  more={feed.more}
                />
              </ViewPanel>
            </div>
            <ViewPanel
              title="Difference"
              tools={<PinTools steps={steps} pins={pins} setPins={setPins} at={at} />}
            >
              <Difference before={stateAt(a)} after={stateAt(b)} />
            </ViewPanel>
            <ViewPanel title="State and context at this step">
              <Past
                before={at === 0 && base === null ? null : stateAt(at - 1)}
                past={stateAt(at)}
              />
            </ViewPanel>
          </div>
        </div>
      </section>
    </AmountsToken.Provider>
  );
}

function Difference({ before, after }: { before: PastState; after: PastState }) {
  const rows = useMemo(
    () => (before.isKnown && after.isKnown ? diffRows(before.context, after.context) : []),
    [before.context, after.context],
  );
  return <Compare before={before} after={after} rows={rows} />;
}

function Past({ before, past }: { before: PastState | null; past: PastState }) {
  const changed = useMemo(
    () => changedPaths(before?.isKnown ? diffRows(before.context, past.context) : []),
    [before?.context, past.context],
  );
  return (
    <>
      <p class="code history-state" aria-live="polite">
        {past.state ?? 'not known'}
      </p>
      {past.isKnown ? (
        <ValueTree value={past.context} label="Context" changed={changed} />
      ) : (
        <p class="quiet">The context is not known here: steps before this one are missing.</p>
      )}
    </>
  );
}

/** Numbers of the two steps that are compared; null: for `a` the step before the chosen one, for `b` the chosen one. */
type Pins = { a: number | null; b: number | null };
type PinProps = {
  steps: readonly StepRecords[];
  at: number;
  pins: Pins;
  setPins(pins: Pins): void;
};

function PinTools({ steps, at, pins, setPins }: PinProps) {
  const seq = seqAt(steps, at);
  const name = (pin: number | null, otherwise: string) =>
    pin === null ? otherwise : `step ${groupDigits(stepIndex(steps, pin) + 1)}`;
  return (
    <span class="pins">
      <span>
        A: {name(pins.a, 'the step before')} · B: {name(pins.b, 'this step')}
      </span>
      <button type="button" onClick={() => setPins({ ...pins, a: seq })}>
        A = this step
      </button>
      <button type="button" onClick={() => setPins({ ...pins, b: seq })}>
        B = this step
      </button>
      <button
        type="button"
        disabled={pins.a === null && pins.b === null}
        onClick={() => setPins({ a: null, b: null })}
      >
        Reset
      </button>
    </span>
  );
}
