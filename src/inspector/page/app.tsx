/** The page's frame: where it is, how the connection stands, and the open view. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Source } from '../source.ts';
import type { NodeFacts } from '../wire.ts';
import { followActor } from './actor-feed.ts';
import { followBlock } from './block.ts';
import { ACTOR_VIEWS, type ActorViewName, hashOf, type Place, placeOf } from './router.ts';
import { ChartView } from './views/chart.tsx';
import { DeadlinesView } from './views/deadlines.tsx';
import { FleetView } from './views/fleet.tsx';
import { HistoryView } from './views/history.tsx';
import { MoneyView } from './views/money.tsx';
import { SequenceView } from './views/sequence.tsx';

const VIEWS = {
  chart: ChartView,
  money: MoneyView,
  deadlines: DeadlinesView,
  sequence: SequenceView,
  history: HistoryView,
} satisfies Record<ActorViewName, unknown>;

export function App({ source }: { source: Source }) {
  const place = useMemo(() => signal<Place>(placeOf(location.hash)), []);
  const facts = useMemo(() => signal<NodeFacts | null>(null), []);
  const clock = useMemo(() => followBlock(source), [source]);
  useEffect(() => clock.end, [clock]);
  useEffect(() => {
    const follow = () => {
      place.value = placeOf(location.hash);
    };
    addEventListener('hashchange', follow);
    void source.read('node', 'node').then((value) => {
      facts.value = value;
    });
    return () => removeEventListener('hashchange', follow);
  }, [source]);
  const here = place.value;
  return (
    <main>
      <h1>
        <a href={hashOf({ view: 'fleet' })}>sluice inspector</a>
      </h1>
      {here.view === 'fleet' ? (
        <FleetView source={source} />
      ) : (
        <Actor
          key={here.actor}
          place={here}
          source={source}
          facts={facts.value}
          block={clock.nowBlock.value}
        />
      )}
    </main>
  );
}

type ActorProps = {
  place: Extract<Place, { actor: string }>;
  source: Source;
  facts: NodeFacts | null;
  block: bigint | null;
};

function Actor({ place, source, facts, block }: ActorProps) {
  const feed = useMemo(() => followActor(source, place.actor), [source, place.actor]);
  useEffect(() => feed.end, [feed]);
  const View = VIEWS[place.view];
  const seen = [feed.view.value?.block, facts?.block, block].map((known) => known ?? 0n);
  const nowBlock = seen.reduce((newest, known) => (known > newest ? known : newest), 0n);
  return (
    <>
      <nav aria-label="Views of the actor">
        {ACTOR_VIEWS.map((view) => (
          <a
            key={view}
            href={hashOf({ view, actor: place.actor })}
            aria-current={view === place.view ? 'page' : undefined}
          >
            {view}
          </a>
        ))}
      </nav>
      <h2>{place.actor}</h2>
      <View {...{ actor: place.actor, feed, source, facts, nowBlock, step: place.step ?? null }} />
    </>
  );
}
