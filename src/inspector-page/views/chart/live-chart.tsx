/** The chart of one actor as it is now, beside what else is known of it. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { MachineDefinition } from '../../../inspector/wire.ts';
import { pageHash } from '../../base/router.ts';
import { type ActorFeed, followActor } from '../../live/actor-feed.ts';
import { machineOf, useMachine } from './live.ts';
import { ChartPicture, usePicture } from './picture.tsx';
import type { ChartSelection } from './selection.ts';

export function LiveChart({ source, actor }: { source: InspectorSource; actor: string }) {
  const feed = useMemo(() => followActor(source, actor), [source, actor]);
  useEffect(() => feed.end, [feed]);
  const name = machineOf(actor, feed.view.value, feed.steps.value);
  const { machine, problem } = useMachine(source, name);
  return (
    <div class="live-chart">
      {machine === null ? (
        <p class="mark-quiet">{problem ?? 'Waiting for the node …'}</p>
      ) : (
        <Chart machine={machine} feed={feed} />
      )}
      <p>
        <a href={pageHash({ view: 'chart', actor })}>
          The chart with its steps and what can happen next
        </a>
      </p>
    </div>
  );
}

function Chart({ machine, feed }: { machine: MachineDefinition; feed: ActorFeed }) {
  const svg = useRef<SVGSVGElement>(null);
  const [selected, onSelect] = useState<ChartSelection | null>(null);
  const picture = usePicture({ machine, feed, until: null, isFolded: true, selected, onSelect });
  const { drawing, problem } = picture;
  if (drawing === null) return <p class="mark-quiet">{problem ?? 'Laying out the chart …'}</p>;
  return <ChartPicture picture={picture} drawing={drawing} svgRef={svg} />;
}
