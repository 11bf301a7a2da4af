/** Steps per second of the whole node over the last two minutes. */
import { useEffect, useState } from 'preact/hooks';
import type { ActorsFeed } from '../../live/actors-feed.ts';

const SECONDS = 120;
const SIZE = { width: 240, height: 40 };

export function StepRate({ feed }: { feed: ActorsFeed }) {
  const [rates, setRates] = useState<readonly number[]>([0]);
  useEffect(() => {
    let before = feed.steps;
    const timer = setInterval(() => {
      const made = feed.steps - before;
      before = feed.steps;
      setRates((known) => [...known, made].slice(-SECONDS));
    }, 1_000);
    return () => clearInterval(timer);
  }, [feed]);
  const most = Math.max(1, ...rates);
  const points = rates.map((rate, index) => {
    const x = SIZE.width * (1 - (rates.length - 1 - index) / SECONDS);
    return `${x},${(SIZE.height - 2) * (1 - rate / most) + 1}`;
  });
  return (
    <figure class="rate">
      <figcaption>
        <b>{rates.at(-1)?.toLocaleString('en')}</b> steps/s
      </figcaption>
      <svg {...SIZE} aria-hidden="true">
        <polyline points={points.join(' ')} />
      </svg>
    </figure>
  );
}
