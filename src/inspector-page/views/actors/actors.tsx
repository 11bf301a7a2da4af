/** Every actor of the node at a glance: its state, and how long until it must act. */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { ListedActor, NodeFacts } from '../../../inspector/wire.ts';
import { pageHash } from '../../base/router.ts';
import { Title } from '../../frame/title.tsx';
import { followActors } from '../../live/actors-feed.ts';
import { ActorsFilters, ActorsForm } from './filters.tsx';
import { type ActorUrgency, groupsOf, urgencyLimits, urgencyOf } from './groups.ts';
import { ActorsLegend } from './legend.tsx';
import { type ActorsLook, lookOfQuery, queryOfLook, USUAL_LOOK } from './look.ts';
import { ActorsMap } from './map.tsx';
import { StepRate } from './step-rate.tsx';
import { ActorsTable } from './table.tsx';

/** The reader's choices, kept while an actor is open. */
const kept: Signal<ActorsLook> = signal(USUAL_LOOK);
/** Least time in ms between two changes of the cells' places, however much happens. */
const REGROUP_MS = 250;

function change(part: Partial<ActorsLook>): void {
  kept.value = { ...kept.value, ...part };
  showInAddress();
}

/** Replaces the address, so that each letter of a filter is not an entry of the browser's history. */
function showInAddress(): void {
  const hash = `${pageHash({ view: 'actors' })}${queryOfLook(kept.value)}`;
  if (location.hash !== hash) history.replaceState(null, '', hash);
}

/** An address without a query is a link of the page itself: the reader's last choices then stay. */
function readAddress(): void {
  const [, query = ''] = location.hash.split('?');
  if (query !== '') kept.value = lookOfQuery(query);
}

function useAddress(): void {
  useMemo(readAddress, []);
  useEffect(() => {
    showInAddress();
    addEventListener('hashchange', readAddress);
    return () => removeEventListener('hashchange', readAddress);
  }, []);
}

type ActorsProps = { source: InspectorSource; facts: NodeFacts | null };

export function ActorsView({ source, facts }: ActorsProps) {
  const feed = useMemo(() => followActors(source), [source]);
  useEffect(() => feed.end, [feed]);
  useAddress();
  const look = kept.value;
  useEffect(() => {
    if (look.ended !== 'live') feed.withEnded();
  }, [feed, look.ended]);
  const rows = feed.rows.value;
  return (
    <section class="actors" aria-label="Actors">
      <div class="actors-head">
        <Title place={{ view: 'actors' }}>Actors</Title>
        <StepRate feed={feed} />
        <ActorsForm look={look} onLook={change} />
      </div>
      {feed.problem.value !== null && <p role="alert">{feed.problem.value}</p>}
      {rows === null ? (
        <p class="waiting">Waiting for the node …</p>
      ) : (
        <Cells
          rows={rows}
          look={look}
          facts={facts}
          version={feed.version.value}
          hasMore={feed.hasMore.value}
        />
      )}
    </section>
  );
}

type CellsProps = {
  rows: ReadonlyMap<string, ListedActor>;
  version: number;
  look: ActorsLook;
  facts: NodeFacts | null;
  hasMore: boolean;
};

function Cells({ rows, version, look, facts, hasMore }: CellsProps) {
  const calm = useCalm(version);
  const nowBlock = facts?.block ?? 0n;
  const revealTimeout = facts?.revealTimeout ?? 50n;
  const limits = useMemo(() => urgencyLimits(revealTimeout), [revealTimeout]);
  const groups = useMemo(() => groupsOf(rows.values(), look), [rows, calm, look]);
  const shown = useMemo(() => groups.flatMap((group) => group.rows), [groups]);
  const counts = useMemo(
    () => countsOf(shown, (row) => urgencyOf(row, nowBlock, limits)),
    [shown, nowBlock, limits],
  );
  const choices = useMemo(() => choicesOf(rows.values(), look.machine), [rows, calm, look.machine]);
  return (
    <>
      <ActorsFilters look={look} {...choices} onLook={change} />
      <div class="actors-sum">
        <p>
          <b>{shown.length.toLocaleString('en')}</b> of {rows.size.toLocaleString('en')} actors
          {hasMore ? '; more have ended, longer ago, and are not shown' : ''}
        </p>
        <ActorsLegend counts={counts} limits={limits} />
      </div>
      {shown.length === 0 ? (
        <p class="waiting">
          {rows.size === 0 ? 'This node has no actors yet.' : 'No actor is like this.'}
        </p>
      ) : look.form === 'map' ? (
        <ActorsMap groups={groups} nowBlock={nowBlock} limits={limits} version={calm} />
      ) : (
        <ActorsTable rows={shown} nowBlock={nowBlock} limits={limits} look={look} onLook={change} />
      )}
    </>
  );
}

/** The newest value, delayed when it changes often. */
function useCalm(version: number): number {
  const [calm, setCalm] = useState(version);
  const isLate = calm !== version;
  useEffect(() => {
    if (!isLate) return;
    const timer = setTimeout(() => setCalm(version), REGROUP_MS);
    return () => clearTimeout(timer);
  }, [isLate]);
  return calm;
}

function countsOf(rows: readonly ListedActor[], urgency: (row: ListedActor) => ActorUrgency) {
  const counts: Record<ActorUrgency, number> = { danger: 0, soon: 0, far: 0, none: 0, ended: 0 };
  for (const row of rows) counts[urgency(row)] += 1;
  return counts;
}

/** The values that the filters offer; states only of the chosen machine. */
function choicesOf(rows: Iterable<ListedActor>, machine: string) {
  const machines = new Set<string>();
  const states = new Set<string>();
  const tokens = new Set<string>();
  for (const row of rows) {
    machines.add(row.machine);
    if (machine === '' || row.machine === machine) states.add(row.state);
    if (row.token !== null) tokens.add(row.token);
  }
  return { machines: [...machines], states: [...states].sort(), tokens: [...tokens] };
}
