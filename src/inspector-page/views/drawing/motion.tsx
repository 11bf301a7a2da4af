/** The newest transition, as dots that move along its edges once. */
import { useEffect, useRef } from 'preact/hooks';
import type { Drawing, DrawnEdge } from '../../../inspector/charts/layout.ts';
import { wayPath } from '../../../inspector/charts/svg.ts';
import type { Activity } from '../chart/activity.ts';

const DURATION_MS = 700;
const RADIUS = 6;

/** Nothing moves for readers who asked their system for less motion; the edges stay highlighted all the same. */
export function MovingDots({ drawing, move }: { drawing: Drawing; move: Activity['move'] }) {
  const isFirst = useRef(true);
  useEffect(() => {
    isFirst.current = false;
  }, []);
  if (move === null || isFirst.current) return null;
  const ways = drawing.edges.filter(({ edges }) => edges.some((id) => move.edges.includes(id)));
  return (
    <>
      {ways.map((way) => (
        <MovingDot key={`${move.seq} ${way.id}`} way={way} />
      ))}
    </>
  );
}

function MovingDot({ way }: { way: DrawnEdge }) {
  const dot = useRef<SVGCircleElement>(null);
  useEffect(() => {
    const { current } = dot;
    if (current === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const animation = moveAlong(current, way);
    return () => animation.cancel();
  }, []);
  return <circle ref={dot} class="moving-dot" r={RADIUS} />;
}

function moveAlong(dot: SVGCircleElement, way: DrawnEdge): Animation {
  dot.style.offsetPath = `path("${wayPath(way.points)}")`;
  return dot.animate(
    [
      { offsetDistance: '0%', opacity: 1 },
      { offsetDistance: '100%', opacity: 1, offset: 0.9 },
      { offsetDistance: '100%', opacity: 0 },
    ],
    { duration: DURATION_MS, easing: 'ease-in-out' },
  );
}
