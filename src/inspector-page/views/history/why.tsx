/** "Why is it in this state": the chain of causes of the step that entered the state. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { StepRecords } from '../../../inspector/wire.ts';
import { whenDone } from '../../../page-parts/when-done.ts';
import { pageHash } from '../../base/router.ts';
import { type CauseChain, entryOf, traceCauses } from './causes.ts';
import { moveText, type StepLine, stepCauseText } from './steps.ts';
import { showBlock } from './values.ts';

type WhyProps = {
  actor: string;
  source: InspectorSource;
  steps: readonly StepRecords[];
  at: number;
  hasMore: boolean;
  /** Reads older steps. */
  more(): Promise<void>;
};

/** The most pages of older steps that are read by themselves to find how a state was entered. */
const MOST_PAGES = 20;

export function Why({ actor, source, steps, at, hasMore, more }: WhyProps) {
  const entry = entryOf(steps, at);
  const pages = useRef(0);
  const isFetching = entry === null && hasMore && pages.current < MOST_PAGES;
  useEffect(() => {
    if (!isFetching) return;
    pages.current += 1;
    void more();
  }, [isFetching, steps]);
  const [chain, setChain] = useState<CauseChain | null>(null);
  useEffect(() => {
    setChain(null);
    if (entry === null) return;
    const find = (other: string, seq: number) => findStep(source, actor, steps, other, seq);
    return whenDone(traceCauses(entry, find), setChain);
  }, [entry, source, actor]);
  if (entry === null) {
    return (
      <p class="quiet">
        {isFetching
          ? 'Looking through older steps …'
          : hasMore
            ? 'The step that entered this state is older still: load older steps to see it.'
            : 'The journal does not go back to the step that entered this state.'}
      </p>
    );
  }
  if (chain === null) return <p class="quiet">Looking for the causes …</p>;
  return (
    <ol class="causes" aria-label="Why it is in this state, newest first">
      {chain.lines.map((line) => (
        <Link key={`${line.actor} ${line.seq}`} line={line} />
      ))}
      <li class="cause-end">{endText(chain)}</li>
    </ol>
  );
}

function Link({ line }: { line: StepLine }) {
  return (
    <li>
      <a href={pageHash({ view: 'history', actor: line.actor, step: line.seq })}>
        <span class="code">{line.what}</span>
      </a>{' '}
      <span class="quiet">{showBlock(line.block)}</span>
      <div class="quiet code cause-actor" title={line.actor}>
        {line.actor}
      </div>
      <div class="code">{moveText(line)}</div>
    </li>
  );
}

function endText(chain: CauseChain): string {
  const last = chain.lines.at(-1);
  if (chain.end === 'long') return 'and so on: more causes than are shown';
  if (chain.end === 'unknown' || last === undefined) return 'caused by a step that is not known';
  return `from outside: ${stepCauseText(last)}`;
}

/** A step of any actor; null when the journal no longer has it, or the node does not answer. */
async function findStep(
  source: InspectorSource,
  actor: string,
  steps: readonly StepRecords[],
  other: string,
  seq: number,
): Promise<StepRecords | null> {
  if (other === actor) {
    const known = steps.find((step) => step[0]?.seq === seq);
    if (known !== undefined) return known;
  }
  const path = `actors/${encodeURIComponent(other)}/history`;
  const query = { before: String(seq + 1), limit: '1' };
  const history = await source.read('history', path, query).catch(() => null);
  return history?.steps.find((step) => step[0]?.seq === seq) ?? null;
}
