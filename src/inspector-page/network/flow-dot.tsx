/** A message between two nodes, as a dot that moves through the drawing. */
import { useEffect, useRef } from 'preact/hooks';
import type { MessageFlow } from './flows.ts';
import { between, type MapPlace } from './places.ts';

const SHAPES = { lock: 9, unlock: 9, expired: 7, secret: 5 } satisfies Record<
  MessageFlow['kind'],
  number
>;
const FLIGHT_MS = 900;

type DotProps = { flow: MessageFlow; from: MapPlace | undefined; to: MapPlace | undefined };

/** Moves once from sender to receiver; for readers who want no motion it stays near the receiver for a while. */
export function FlowDot({ flow, from, to }: DotProps) {
  const dot = useRef<SVGCircleElement>(null);
  // Only when the message is new: drawing the same message again must not repeat the movement.
  useEffect(() => {
    if (dot.current === null || from === undefined || to === undefined) return;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const at = ({ x, y }: MapPlace) => `translate(${x}px, ${y}px)`;
    const start = isStill ? between(from, to, 0.8) : from;
    const frames = [
      { transform: at(start), opacity: 1 },
      { transform: at(isStill ? start : to), opacity: 1, offset: 0.95 },
      { transform: at(isStill ? start : to), opacity: 0 },
    ];
    dot.current.animate(frames, { duration: FLIGHT_MS, fill: 'forwards', easing: 'ease-in-out' });
  }, [flow.id]);
  return <circle ref={dot} class={`network-flow ${flow.kind}`} r={SHAPES[flow.kind]} opacity="0" />;
}
