/** Steps per second of the whole node over the last two minutes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import type { ActorsFeed } from '../../live/actors-feed.ts';

const SECONDS = 120;
const SIZE = { width: 240, height: 40 };

export function StepRate({ feed }: { feed: ActorsFeed }) {
  const place = useRef<HTMLDivElement>(null);
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (place.current === null) return;
    const rates: number[] = Array.from({ length: SECONDS }, () => 0);
    const seconds = rates.map((_, index) => index - SECONDS + 1);
    const colour = getComputedStyle(place.current).color;
    const plot = new UPlot(
      {
        ...SIZE,
        legend: { show: false },
        cursor: { show: false },
        padding: [2, 0, 2, 0],
        axes: [{ show: false }, { show: false }],
        scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(most, 1)] } },
        series: [{}, { stroke: colour, width: 1.5, points: { show: false } }],
      },
      [seconds, rates],
      place.current,
    );
    let before = feed.steps;
    const timer = setInterval(() => {
      rates.shift();
      rates.push(feed.steps - before);
      before = feed.steps;
      setNow(rates.at(-1) ?? 0);
      plot.setData([seconds, rates]);
    }, 1_000);
    return () => {
      clearInterval(timer);
      plot.destroy();
    };
  }, [feed]);
  return (
    <figure class="rate">
      <figcaption>
        <b>{now.toLocaleString('en')}</b> steps/s
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}
