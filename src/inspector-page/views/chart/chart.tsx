/** An actor's chart: its state, how it got there, and what can happen next. */

import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { groupDigits } from '../../../basics/digits.ts';
import { messageOf } from '../../../basics/message-of.ts';
import type { MachineDefinition } from '../../../inspector/wire.ts';
import { pageHash } from '../../base/router.ts';
import { ChartOutline } from '../drawing/outline.tsx';
import { type ChosenStep, useChosen } from '../history/chosen.ts';
import { timeText } from '../history/list.tsx';
import { ViewPanel } from '../history/panel.tsx';
import { showBlock } from '../history/values.ts';
import { DrawingLegend } from '../legend.tsx';
import type { ActorViewProps } from '../view.ts';
import { saveDrawing, saveExport } from './export.ts';
import { machineOf, useMachine } from './live.ts';
import { LastSteps, PossibleNext } from './panel.tsx';
import { ChartPicture, usePicture } from './picture.tsx';
import { SelectedPart } from './selected.tsx';
import type { ChartSelection } from './selection.ts';

export function ChartView(props: ActorViewProps) {
  const { actor, feed, source } = props;
  const { machine, problem } = useMachine(
    source,
    machineOf(actor, feed.view.value, feed.steps.value),
  );
  const isKnown = feed.view.value !== null || feed.steps.value.length > 0;
  if (machine !== null && isKnown)
    return <Chart key={machine.machine} {...props} machine={machine} />;
  return (
    <section aria-label="Chart">
      <p class="quiet">{feed.problem.value ?? problem ?? 'Waiting for the node …'}</p>
    </section>
  );
}

type ChartProps = ActorViewProps & { machine: MachineDefinition };

/** Whether states and events in which nothing happens are folded; kept while the reader opens other actors. */
const isFolded = signal(true);

function Chart({ actor, feed, source, step, machine }: ChartProps) {
  const chosen = useChosen(feed, step);
  const until = chosen.isLive ? null : chosen.at;
  const [selected, onSelect] = useState<ChartSelection | null>(null);
  const [isOutline, setOutline] = useState(false);
  const svg = useRef<SVGSVGElement>(null);
  const picture = usePicture({
    machine,
    feed,
    until,
    isFolded: isFolded.value,
    selected,
    onSelect,
  });
  const { steps, shown, lit, drawing, problem } = picture;
  const { activity } = shown;
  const seen = until === null ? steps : steps.slice(0, until + 1);
  const isOver = until === null && feed.view.value?.row.isEnded === true;
  return (
    <section aria-label="Chart" class="chart-view">
      {!chosen.isLive && <PastBanner actor={actor} chosen={chosen} steps={steps} />}
      <p class="unseen" aria-live="polite">
        {`State: ${shown.state}`}
      </p>
      <div class="chart-body">
        <div class="chart-left">
          <Tools
            isOutline={isOutline}
            onOutline={setOutline}
            onSave={() => saveDrawing(svg.current, drawing, chosen.isLive)}
            onExport={(ending) => saveExport(source, { ...machine, state: shown.state }, ending)}
          />
          {isOutline && <ChartOutline root={machine.root} {...lit} />}
          {!isOutline && drawing === null && (
            <div class="stage stage-empty">{problem ?? 'Laying out the chart …'}</div>
          )}
          {!isOutline && drawing !== null && (
            <ChartPicture picture={picture} drawing={drawing} svgRef={svg} />
          )}
          <DrawingLegend entries={LEGEND} label="Legend" />
        </div>
        <aside class="chart-side">
          <ViewPanel title={until === null ? 'State now' : 'State then'} kind="state">
            <p class="code chart-state">{shown.state.split('+').join('\n+ ')}</p>
          </ViewPanel>
          {selected !== null && (
            <ViewPanel title="Selected" kind="selected">
              <SelectedPart
                {...lit}
                machine={machine}
                selected={selected}
                onClose={() => onSelect(null)}
              />
            </ViewPanel>
          )}
          {!isOver && (
            <ViewPanel title="Possible next" kind="next">
              <PossibleNext
                possible={shown.possible}
                machine={machine}
                activity={activity}
                onSelect={(id) => onSelect({ kind: 'edge', id })}
              />
            </ViewPanel>
          )}
          <ViewPanel title="Last steps" kind="steps">
            <LastSteps actor={actor} steps={seen} />
          </ViewPanel>
        </aside>
      </div>
    </section>
  );
}

function PastBanner({
  actor,
  chosen,
  steps,
}: {
  actor: string;
  chosen: ChosenStep;
  steps: ActorViewProps['feed']['steps']['value'];
}) {
  const record = steps[chosen.at]?.[0];
  const when =
    record === undefined ? '' : ` (${showBlock(record.block)}, ${timeText(record.time)})`;
  return (
    <div class="past-banner" role="status">
      <strong>
        {chosen.isFetching
          ? 'Fetching older steps …'
          : `The past: as it was after step ${groupDigits(chosen.at + 1)} of ${groupDigits(steps.length)}${when}`}
      </strong>
      <button
        type="button"
        disabled={chosen.at <= 0}
        aria-label="One step back"
        onClick={() => chosen.choose(chosen.at - 1)}
      >
        ◀
      </button>
      <button
        type="button"
        disabled={chosen.at >= steps.length - 1}
        aria-label="One step on"
        onClick={() => chosen.choose(chosen.at + 1)}
      >
        ▶
      </button>
      {record !== undefined && (
        <a href={pageHash({ view: 'history', actor, step: record.seq })}>In the history</a>
      )}
      <a href={pageHash({ view: 'chart', actor })} onClick={chosen.goLive}>
        Back to now
      </a>
    </div>
  );
}

const EXPORTS = ['svg', 'mmd', 'json'] as const;

function Tools({
  isOutline,
  onOutline,
  onSave,
  onExport,
}: {
  isOutline: boolean;
  onOutline(isOutline: boolean): void;
  onSave(): void;
  onExport(ending: (typeof EXPORTS)[number]): Promise<void>;
}) {
  const [problem, setProblem] = useState<string | null>(null);
  function save(what: string, saving: () => void | Promise<void>): void {
    setProblem(null);
    Promise.resolve()
      .then(saving)
      .catch((error: unknown) => setProblem(`${what} is not saved: ${messageOf(error)}`));
  }
  return (
    <div class="chart-tools">
      <button type="button" aria-pressed={!isOutline} onClick={() => onOutline(false)}>
        Drawing
      </button>
      <button type="button" aria-pressed={isOutline} onClick={() => onOutline(true)}>
        As text
      </button>
      <label>
        <input
          type="checkbox"
          disabled={isOutline}
          checked={!isFolded.value}
          onChange={({ currentTarget }) => {
            isFolded.value = !currentTarget.checked;
          }}
        />{' '}
        All states and events
      </label>
      <span class="chart-tools-end">
        <span class="quiet">Save</span>
        <button type="button" disabled={isOutline} onClick={() => save('The drawing', onSave)}>
          as seen
        </button>
        {EXPORTS.map((ending) => (
          <button
            key={ending}
            type="button"
            onClick={() => save(`The .${ending} file`, () => onExport(ending))}
          >
            .{ending}
          </button>
        ))}
      </span>
      {problem !== null && (
        <p role="alert" class="chart-problem">
          {problem}
        </p>
      )}
    </div>
  );
}

const LEGEND = [
  ['key key-active', 'active now'],
  ['key key-moved', 'last transition'],
  ['key key-next', 'possible next'],
  ['key key-count', 'how often, in the known steps', '3×'],
  ['key key-never', 'never visited', '0×'],
  ['key key-region', 'side by side'],
] as const;
