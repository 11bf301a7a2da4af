/**
 * The messages of an actor with partners and the chain; for a payment, those of all actors on this node that take
 * part.
 */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { StepRecords } from '../../../inspector/wire.ts';
import { isNamed, personName, units } from '../../../page-parts/labels.ts';
import { actorName } from '../../base/names.ts';
import { pageHash } from '../../base/router.ts';
import type { ActorFeed } from '../../live/actor-feed.ts';
import type { ActorViewProps } from '../view.ts';
import { type Arrow, sequenceOf } from './arrows.ts';
import { SequenceDiagram, SequenceTable } from './diagram.tsx';
import { followTrace } from './following.ts';
import type { MarkPlace } from './marks.ts';
import { isPayment, paymentIn } from './trace.ts';

/** How many arrows are drawn at first, and how many more at a time. */
const AT_ONCE = 200;

export function SequenceView({ actor, feed, source, facts }: ActorViewProps) {
  const ofPayment = isPayment(actor);
  const isWhole = useMemo(() => signal(ofPayment), [ofPayment]);
  const isExpanded = useMemo(() => signal(ofPayment), [ofPayment]);
  const last = useMemo(() => signal(AT_ONCE), [actor]);
  const trace = useMemo(() => followTrace(source, actor), [source, actor]);
  const known = feed.steps.value;
  useEffect(() => (isWhole.value ? trace.refreshSoon() : undefined), [trace, known, isWhole.value]);

  const gathered = isWhole.value ? trace.found.value : null;
  const steps = gathered?.steps ?? known;
  const node = facts?.address ?? null;
  const token = feed.view.value?.row.token ?? null;
  const sequence = useMemo(
    () => node && drawingOf({ node, token, steps, isExpanded: isExpanded.value, last: last.value }),
    [node, token, steps, isExpanded.value, last.value, units.value],
  );
  return (
    <section aria-label="Sequence" class="panes">
      <div class="pane">
        <header>
          <h2>
            {gathered === null ? 'What this actor says and hears' : 'The payment on this node'}
          </h2>
          <div class="choice">
            {ofPayment && <Check label="All who take part" value={isWhole} />}
            <Check label="Show actors" value={isExpanded} />
          </div>
        </header>
        {gathered?.isCut === true && (
          <p class="mark-warning">Too long ago to look through everything: steps may be missing.</p>
        )}
        {sequence === null ? (
          <p class="pane-empty">Waiting for the node …</p>
        ) : (
          <>
            <Older
              feed={feed}
              hidden={sequence.hidden}
              isWhole={isWhole.value}
              more={() => (last.value += AT_ONCE)}
            />
            {sequence.items.length === 0 ? (
              <p class="pane-empty">Nothing has passed between this actor and anybody yet.</p>
            ) : (
              <>
                <SequenceDiagram
                  sequence={sequence}
                  linkTo={linkTo}
                  traceOf={(arrow) => traceOf(arrow, steps, actor)}
                />
                <Legend />
                <details>
                  <summary>As a table</summary>
                  <SequenceTable sequence={sequence} />
                </details>
              </>
            )}
          </>
        )}
      </div>
    </section>
  );
}

type Drawn = {
  node: string;
  token: string | null;
  steps: readonly StepRecords[];
  isExpanded: boolean;
  last: number;
};

function drawingOf({ node, token, steps, isExpanded, last }: Drawn) {
  const source = {
    address: node,
    name: isNamed(node) ? personName(node) : 'this node',
    token,
    steps,
  };
  return sequenceOf([source], { expanded: new Set(isExpanded ? [node] : []), last });
}

const linkTo = ({ actor, seq }: MarkPlace) => pageHash({ view: 'history', actor, step: seq });

function traceOf(arrow: Arrow, steps: readonly StepRecords[], shown: string) {
  const seqs = [arrow.sent?.seq, arrow.taken?.seq];
  const about = steps.filter((step) => seqs.includes(step[0]?.seq)).map(paymentIn);
  const actor = about.find((found) => found !== null) ?? null;
  if (actor === null || actor === shown) return null;
  const { kind, name } = actorName(actor);
  return {
    name: `Trace ${kind.toLowerCase()} ${name}`,
    href: pageHash({ view: 'sequence', actor }),
  };
}

function Check({ label, value }: { label: string; value: { value: boolean } }) {
  return (
    <label>
      <input
        type="checkbox"
        checked={value.value}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.checked;
        }}
      />
      {label}
    </label>
  );
}

type OlderProps = { feed: ActorFeed; hidden: number; isWhole: boolean; more(): void };

function Older({ feed, hidden, isWhole, more }: OlderProps) {
  const hasSteps = !isWhole && feed.hasMore.value;
  if (hidden === 0 && !hasSteps) return null;
  const load = () => {
    more();
    if (hasSteps) void feed.more();
  };
  return (
    <p class="seq-older">
      <button type="button" onClick={load}>
        Load older
      </button>{' '}
      {hidden > 0 && <span class="mark-quiet">{hidden} older arrows are not drawn</span>}
    </p>
  );
}

const LEGEND = [
  ['message', 'message between nodes'],
  ['told', 'between actors'],
  ['call', 'API call and answer'],
  ['transaction', 'to and from the chain'],
] as const;

function Legend() {
  return (
    <ul class="pane-legend seq-legend" aria-hidden="true">
      {LEGEND.map(([kind, words]) => (
        <li key={kind}>
          <svg class={`seq-${kind}`} width={28} height={8} aria-hidden="true">
            <line class="seq-line" x1={0} x2={28} y1={4} y2={4} />
          </svg>{' '}
          {words}
        </li>
      ))}
      <li>● note</li>
    </ul>
  );
}
