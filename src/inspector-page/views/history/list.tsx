/** The steps as a list that only renders its visible part. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StepRecords } from '../../../inspector/wire.ts';
import { pageHash } from '../../base/router.ts';
import { useMeasured } from '../../base/seen.ts';
import { moveText, type StepLine, stepCauseText, stepLine } from './steps.ts';
import { showBlock } from './values.ts';

const ROW_PX = 44;
const SPARE_ROWS = 8;

type ListProps = {
  steps: readonly StepRecords[];
  /** The index of the chosen step in `steps`. */
  at: number;
  marks: ReadonlyMap<number, string>;
  onChoose(at: number): void;
};

export function StepList({ steps, at, marks, onChoose }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 480 });
  const measure = ({ scrollTop: top, clientHeight: height }: HTMLElement) =>
    setView({ top, height });
  useMeasured(box, measure);
  useEffect(() => {
    if (box.current !== null) reveal(box.current, at);
  }, [at, steps.length]);
  const first = Math.max(0, Math.floor(view.top / ROW_PX) - SPARE_ROWS);
  const last = Math.min(steps.length, Math.ceil((view.top + view.height) / ROW_PX) + SPARE_ROWS);
  const places = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  return (
    <div
      ref={box}
      class="steps"
      role="listbox"
      tabIndex={0}
      aria-label="Steps, oldest first"
      aria-activedescendant={`step-${at}`}
      onScroll={({ currentTarget }) => measure(currentTarget)}
      onKeyDown={(event) => {
        const to = placeOfKey(event.key, at, steps.length, Math.floor(view.height / ROW_PX));
        if (to === null) return;
        event.preventDefault();
        onChoose(to);
      }}
    >
      <div class="steps-all" style={{ height: `${steps.length * ROW_PX}px` }}>
        {places.map((place) => {
          const line = stepLine(steps[place] ?? []);
          if (line === null) return null;
          const mark = marks.get(place) ?? '';
          const facts = { line, place, mark, count: steps.length, isChosen: place === at };
          return <Row key={line.seq} {...facts} onChoose={onChoose} />;
        })}
      </div>
    </div>
  );
}

type RowProps = {
  line: StepLine;
  place: number;
  count: number;
  mark: string;
  isChosen: boolean;
  onChoose(at: number): void;
};

function Row({ line, place, count, mark, isChosen, onChoose }: RowProps) {
  const where = {
    id: `step-${place}`,
    'aria-setsize': count,
    'aria-posinset': place + 1,
    'aria-selected': isChosen,
    style: { transform: `translateY(${place * ROW_PX}px)` },
    onClick: () => onChoose(place),
  };
  if (line.gap !== null) {
    return (
      <div {...where} role="option" tabIndex={-1} class="step step-gap">
        <span class="step-gap-text">⋯ {line.gap} ⋯</span>
      </div>
    );
  }
  return (
    <div {...where} role="option" tabIndex={-1} class="step">
      <span class="step-block">{showBlock(line.block)}</span>
      <span class="step-what">{line.what}</span>
      <span class="step-mark">{mark}</span>
      <time class="step-time">{timeText(line.time)}</time>
      <span class={line.from === line.to ? 'step-move quiet' : 'step-move'}>{moveText(line)}</span>
      {/* Not a link: an option of a list box must not contain focusable elements. */}
      <span class="step-cause">{stepCauseText(line)}</span>
    </div>
  );
}

/** Why a step happened; when a step of another actor caused it, a link to that step. */
export function CauseOf({ line }: { line: StepLine }) {
  const { cause } = line;
  const text = stepCauseText(line);
  if (cause.from === 'outside' || cause.seq === null) return <span class="step-cause">{text}</span>;
  const place = { view: 'history', actor: cause.actor, step: cause.seq } as const;
  return (
    <a
      class="step-cause"
      tabIndex={-1}
      href={pageHash(place)}
      title={`${text}, step ${cause.seq}`}
      onClick={(event) => event.stopPropagation()}
    >
      {text}
    </a>
  );
}

/** The local time of day. */
export function timeText(time: number): string {
  return new Date(time).toLocaleTimeString(undefined, { hour12: false });
}

function placeOfKey(key: string, at: number, count: number, page: number): number | null {
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  }[key];
  return to === undefined ? null : Math.max(0, Math.min(count - 1, to));
}

function reveal(box: HTMLElement, at: number): void {
  const top = at * ROW_PX;
  if (top < box.scrollTop) box.scrollTop = top;
  const bottom = top + ROW_PX;
  if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
