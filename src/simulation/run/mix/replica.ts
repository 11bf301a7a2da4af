/** Draws whether a node of a small random network is replicated, and what goes wrong with its machines and its stream. */
import type { FaultPoint } from '../../../basics/fault.ts';
import type { Draw } from '../../world/randomness.ts';

/** Share of the seeds in which a node has a standby. */
const SHARE = 0.2;
const KINDS = [
  'stream_away',
  'stream_late',
  'stream_silent',
  'takeover',
  'takeover',
  'machine_lost',
  'kill',
  'kill_at',
  'pause',
] as const;
const POINTS: readonly FaultPoint[] = [
  'commit.before',
  'commit.written',
  'commit.after',
  'publish.before',
  'job.after',
];

/** `blocks`: of the busy part of the run; `reveal`: the reveal timeout, in blocks of so many seconds. */
type Facts = { nodes: number; blocks: number; reveal: number; blockSeconds: number };

export function drawReplica(draw: Draw, { nodes, blocks, reveal, blockSeconds }: Facts) {
  if (!draw.happens(SHARE)) return { settings: [], faults: [] };
  const node = String(draw.integer(0, nodes - 1));
  const silence = draw.pick([null, 5, 20, 60]);
  const longest = Math.floor(reveal / 2) * blockSeconds;
  const takeover_after = silence === null ? null : Math.min(silence, longest);
  const faults = Array.from({ length: draw.integer(1, 4) }, () => {
    const kind = draw.pick(KINDS);
    // With its machine a node loses all that it could still pay.
    const first = kind === 'machine_lost' ? blocks - 12 : 1;
    const when = { at_block: draw.integer(first, blocks - 8), blocks: draw.integer(1, 3) };
    return { kind, nodes: node, when, ...detailsOf(kind, draw) };
  });
  return { settings: [{ nodes: node, standby: { takeover_after } }], faults };
}

function detailsOf(kind: (typeof KINDS)[number], draw: Draw) {
  switch (kind) {
    case 'stream_late':
      return { ms: draw.pick([50, 500, 3_000]) };
    case 'stream_silent':
      return { share: draw.integer(2, 9) / 10 };
    case 'kill_at':
      return { point: draw.pick(POINTS), nth: draw.integer(1, 6) };
    default:
      return {};
  }
}
