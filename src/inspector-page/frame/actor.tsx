/** One actor: its name, its state, and its views. */

import { useEffect, useErrorBoundary, useMemo } from 'preact/hooks';
import { messageOf } from '../../basics/message-of.ts';
import type { InspectorSource } from '../../inspector/source.ts';
import { shortId } from '../../inspector/texts/short-id.ts';
import type { ActorView, ListedActor, NodeFacts } from '../../inspector/wire.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { Copy } from '../../page-parts/copy.tsx';
import { blockCount } from '../../page-parts/digits.ts';
import { explorerLink, personName, tokenName } from '../../page-parts/labels.ts';
import { Fact } from '../../page-parts/node-facts.tsx';
import { ProblemNote } from '../../page-parts/problem.tsx';
import { saveFile } from '../../page-parts/save-file.ts';
import { endingOf } from '../base/ending.ts';
import { actorName, machineName, otherEndOf, regionsOf, rowName } from '../base/names.ts';
import { ACTOR_VIEWS, type ActorViewName, type PagePlace, pageHash } from '../base/router.ts';
import { type ActorFeed, followActor } from '../live/actor-feed.ts';
import { ChartView } from '../views/chart/chart.tsx';
import { exportOf } from '../views/chart/export.ts';
import { DeadlinesView } from '../views/deadlines/deadlines.tsx';
import { StepsView } from '../views/history/history.tsx';
import { MoneyView } from '../views/money/money.tsx';
import { SequenceView } from '../views/sequence/sequence.tsx';
import type { ActorViewProps } from '../views/view.ts';
import { Title } from './title.tsx';
import { transcriptOf } from './transcript.ts';

const VIEWS = {
  chart: ChartView,
  money: MoneyView,
  deadlines: DeadlinesView,
  sequence: SequenceView,
  history: StepsView,
} satisfies Record<ActorViewName, unknown>;

type ActorProps = {
  place: Extract<PagePlace, { actor: string }>;
  source: InspectorSource;
  facts: NodeFacts | null;
};

export function Actor({ place, source, facts }: ActorProps) {
  const { actor, view } = place;
  const feed = useMemo(() => followActor(source, actor), [source, actor]);
  useEffect(() => feed.end, [feed]);
  const seen = [feed.view.value?.block ?? 0n, facts?.block ?? 0n];
  const nowBlock = seen.reduce((newest, known) => (known > newest ? known : newest), 0n);
  const row = feed.view.value?.row;
  const { kind, name } = row === undefined ? actorName(actor) : rowName(row);
  const props = { actor, feed, source, facts, nowBlock, step: place.step ?? null };
  return (
    <>
      <nav class="crumbs" aria-label="Where you are">
        <ol>
          <li>
            <a href={pageHash({ view: 'home' })}>Node</a>
          </li>
          <li>
            <a href={pageHash({ view: 'actors' })}>Actors</a>
          </li>
          <li>
            <a href={pageHash({ view: 'chart', actor })}>
              {kind} {name}
            </a>
          </li>
          <li aria-current="page">{view}</li>
        </ol>
      </nav>
      <div class="actor">
        <Title place={place}>
          {kind} {name}
        </Title>
        {row !== undefined && <Detail row={row} />}
        <Copy label="actor" text={actor} shown={shortId(actor)} />
        <TranscriptButton feed={feed} source={source} own={facts?.address ?? null} />
        <Standing feed={feed} nowBlock={nowBlock} />
      </div>
      <nav class="tabs" aria-label="Views of the actor">
        {ACTOR_VIEWS.map((other) => (
          <a
            key={other}
            href={pageHash({ ...place, view: other })}
            aria-current={other === view ? 'page' : undefined}
          >
            {other}
          </a>
        ))}
      </nav>
      <FeedProblem feed={feed} />
      <EndNote feed={feed} own={facts?.address ?? null} />
      <Guarded key={view} view={view} props={props} />
    </>
  );
}

/** With whom it is, and over how much. */
function Detail({ row }: { row: ListedActor }) {
  const { actor, token, amount, balances } = row;
  const other = otherEndOf(row);
  return (
    <span class="detail">
      {other !== null && `${personName(other)} · `}
      {balances !== null && token !== null && (
        <>
          {tokenName(token)} ·{' '}
          <AmountText value={balances.own} token={token} isBare of={`${actor}/own.balance`} /> /{' '}
          <AmountText
            value={balances.partner}
            token={token}
            isBare
            of={`${actor}/partner.balance`}
          />
        </>
      )}
      {amount !== null && <AmountText value={amount} token={token} of={`${actor}/amount`} />}
    </span>
  );
}

type TranscriptProps = { feed: ActorFeed; source: InspectorSource; own: string | null };

function TranscriptButton({ feed, source, own }: TranscriptProps) {
  const view = feed.view.value;
  if (view === null) return null;
  async function write(view: ActorView): Promise<void> {
    const chart = await exportOf(source, view.row, 'svg');
    const [steps, hasMore] = [feed.steps.value, feed.hasMore.value];
    const text = transcriptOf({ view, steps, hasMore, own, chart });
    const name = view.row.actor.replaceAll(/[^0-9A-Za-z]+/g, '-');
    saveFile(new Blob([text], { type: 'text/html' }), `${name}.html`);
  }
  return (
    <button
      type="button"
      title="Where it stands, its money, chart and steps, as one file to send to somebody"
      onClick={() =>
        void write(view).catch((error: unknown) => {
          feed.problem.value = messageOf(error);
        })
      }
    >
      Save as a file
    </button>
  );
}

function Standing({ feed, nowBlock }: { feed: ActorFeed; nowBlock: bigint }) {
  const row = feed.view.value?.row;
  if (row === undefined) return null;
  return (
    <dl class="facts">
      <Fact name="Machine">{machineName(row.machine)}</Fact>
      <Fact name="State">
        {regionsOf(row.state).map((region) => (
          <code key={region} class="region">
            {region}
          </code>
        ))}
      </Fact>
      {!row.isEnded && <Fact name="Next deadline">{dueText(row, nowBlock)}</Fact>}
    </dl>
  );
}

function dueText({ deadlineBlock }: ListedActor, nowBlock: bigint): string {
  if (deadlineBlock === null) return 'none';
  const left = deadlineBlock - nowBlock;
  if (left < 0n) return `#${deadlineBlock}, ${blockCount(-left)} ago`;
  return `#${deadlineBlock}, ${blockCount(left)} left`;
}

/** How the actor ended, if it has. */
function EndNote({ feed, own }: { feed: ActorFeed; own: string | null }) {
  const row = feed.view.value?.row;
  const ending = row === undefined ? null : endingOf(row, feed.steps.value, own);
  if (row === undefined || ending === null) return null;
  return (
    <p class={`ending ending-${ending.verdict}`} role="status">
      {ending.parts.map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <AmountText
            key={part.of}
            value={part.value}
            token={row.token}
            of={`${row.actor}/${part.of}`}
          />
        ),
      )}{' '}
      <TransactionLink hash={ending.transaction ?? ''} />
    </p>
  );
}

function TransactionLink({ hash }: { hash: string }) {
  const link = explorerLink(hash);
  if (link === null) return null;
  return (
    <a href={link} target="_blank" rel="noreferrer">
      Look at it in the explorer
    </a>
  );
}

/** The error of the last request, whether or not older data can be shown. */
function FeedProblem({ feed }: { feed: ActorFeed }) {
  const problem = feed.problem.value;
  const isOld = feed.steps.value.length > 0;
  return (
    <ProblemNote
      text={problem && (isOld ? `${problem} What is shown is what was known before.` : problem)}
    />
  );
}

type GuardedProps = { view: ActorViewName; props: ActorViewProps };

/** Catches the errors of a view, so that the rest of the page stays. */
function Guarded({ view, props }: GuardedProps) {
  const [error, reset] = useErrorBoundary();
  const View = VIEWS[view];
  if (error === undefined) return <View {...props} />;
  return (
    <div class="problem" role="alert">
      <p>This view has failed: {String(error)}</p>
      <button type="button" onClick={reset}>
        Try again
      </button>
    </div>
  );
}
