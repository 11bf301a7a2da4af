/** Draws what goes wrong in a small network made from a seed: faults, named attacks, and attacks of random moves. */
import type { FaultPoint } from '../../../basics/fault.ts';
import { OCCASIONS } from '../../scenario/schema/trouble.ts';
import type { Draw } from '../../world/randomness.ts';

const PROCESS = [
  'kill',
  'kill_pair',
  'pause',
  'restart',
  'kill_at',
  'kill_at',
  'second_process',
  'wrong_clock',
  'failing_listener',
];
const DISK = [
  'disk_full',
  'disk_slow',
  'disk_late',
  'disk_torn',
  'disk_lost_writes',
  'disk_old_copy',
];
const LINK = ['loss', 'repeats', 'delay', 'reorder', 'deaf', 'partition', 'path_finding_down'];
const ENDPOINT = [
  'missing_logs',
  'unreachable',
  'stale_head',
  'failing_calls',
  'refused_calls',
  'short_log_ranges',
  'wrong_receipts',
  'frozen_head',
];
const WORLD = [
  'broker_down',
  'hostile_broker',
  'reorganisation',
  'full_blocks',
  'no_gas',
  'censored',
  'price_spike',
  'foreign_transaction',
  'hostile_token',
];
const KINDS = [...PROCESS, ...PROCESS, ...DISK, ...LINK, ...ENDPOINT, ...WORLD];
/** Faults of what all nodes share. */
const OF_ALL: ReadonlySet<string> = new Set([
  'partition',
  'path_finding_down',
  ...WORLD.filter((kind) => !['no_gas', 'censored', 'foreign_transaction'].includes(kind)),
]);
const POINTS: readonly FaultPoint[] = [
  'commit.before',
  'commit.written',
  'commit.after',
  'publish.before',
  'publish.after',
  'receive.before',
  'receive.after',
  'job.before',
  'job.after',
  'reply.before',
  'transaction.signed',
  'transaction.saved',
  'transaction.sent',
  'transaction.mined',
];
const CHEATS = [
  'ghost_mediator',
  'stale_close',
  'withheld_unlocks',
  'late_reveal',
  'start_end',
  'withdraw_race',
  'front_run_registration',
  'small_settle_timeout',
  'fee_drain',
  'hostile_broker',
  'lock_jamming',
  'dust',
  'endless_locks',
  'flood',
  'late_unlocks',
  'never_acknowledges',
];
/** Attacks that start many payments at each block. */
const BUSY_CHEATS: ReadonlySet<string> = new Set(['lock_jamming', 'dust']);

/** `blocks`: of the busy part of the run. */
type Trouble = { nodes: number; confirmations: number; blocks: number };

export function drawFaults(draw: Draw, trouble: Trouble): object[] {
  return Array.from({ length: draw.integer(3, 6) }, () => {
    const kind = draw.pick(KINDS);
    const { when } = whenOf(kind, draw, trouble);
    // What waits for somebody strikes whoever comes first.
    const isForAny = OF_ALL.has(kind) || 'after' in when || draw.happens(0.4);
    const whom = isForAny ? {} : { nodes: 'random:1' };
    return { kind, ...whom, when, ...detailsOf(kind, draw, trouble) };
  });
}

/** Plans that leave an honest partner no other way than the chain. */
const TO_CHAIN = ['withheld_unlocks', 'withheld_unlocks', 'late_reveal', 'late_unlocks'];

type Cheating = { nodes: number; cheats: number; blocks: number; isMonitored: boolean };

/** Cheats are mostly the last node, where they spoil only what goes there. */
export function drawAttacks(draw: Draw, facts: Cheating): object[] {
  const { nodes, blocks, isMonitored } = facts;
  const known = isMonitored ? [...CHEATS, 'free_rider', 'free_rider'] : CHEATS;
  return Array.from({ length: facts.cheats }, () => {
    const plan = draw.pick(['random', draw.pick(TO_CHAIN), draw.pick(known)]);
    const from_block = BUSY_CHEATS.has(plan)
      ? blocks - draw.integer(2, 4)
      : draw.pick([0, 10, 18, 24]);
    const node = draw.happens(0.8) ? nodes - 1 : draw.integer(0, nodes - 1);
    return { plan, nodes: String(node), from_block };
  });
}

/** Share of the seeds in which a node opens a worthless channel: a run with so many locks takes seconds. */
const WORTHLESS_SHARE = 0.02;

/** With one other node, and late enough that its locks end soon after the busy part of the run. */
export function drawWorthless(draw: Draw, { nodes, blocks }: Pick<Cheating, 'nodes' | 'blocks'>) {
  if (!draw.happens(WORTHLESS_SHARE)) return [];
  const from_block = blocks - draw.integer(8, 16);
  const node = draw.integer(0, nodes - 1);
  const victims = String((node + draw.integer(1, nodes - 1)) % nodes);
  return [{ plan: 'worthless_channels', nodes: String(node), victims, from_block }];
}

function whenOf(kind: string, draw: Draw, { blocks: busy }: Trouble) {
  const blocks = draw.integer(1, SHORT.has(kind) ? 3 : 10);
  if (LASTING.has(kind) && draw.happens(0.8))
    return { when: { at_block: draw.integer(busy - 12, busy - 2), blocks } };
  if (draw.happens(0.3))
    return { when: { after: draw.pick(OCCASIONS), nth: draw.pick([1, 1, 2]), blocks } };
  if (draw.happens(0.6)) return { when: { at_block: draw.integer(1, busy - 10), blocks } };
  const most = LASTING.has(kind) ? 1 : 4;
  return { when: { rate: draw.integer(1, most) / 100, blocks } };
}
/** Faults that may only be short: no node can keep a deadline without seeing the chain. */
const SHORT = new Set([
  'unreachable',
  'missing_logs',
  'pause',
  'no_gas',
  'full_blocks',
  'disk_full',
  'kill',
  'kill_pair',
  'restart',
  'kill_at',
  'disk_torn',
  'disk_lost_writes',
  'disk_old_copy',
  'censored',
  'stale_head',
  'failing_calls',
  'refused_calls',
  'wrong_receipts',
  'price_spike',
  'disk_slow',
  'frozen_head',
  'wrong_clock',
]);
/** Faults from which a node does not recover within the run: early, they leave no payment to be made. */
const LASTING = new Set(['disk_lost_writes', 'disk_old_copy', 'reorganisation']);

function detailsOf(kind: string, draw: Draw, { nodes, confirmations }: Trouble) {
  switch (kind) {
    case 'kill_at':
      return { point: draw.pick(POINTS), nth: draw.integer(1, 6) };
    case 'loss':
    case 'repeats':
    case 'failing_calls':
      return { share: draw.integer(1, 9) / 10 };
    case 'delay':
      return { least_ms: 0, most_ms: draw.integer(100, 60_000) };
    case 'disk_slow':
    case 'disk_late':
      return { ms: draw.integer(1, 3_000) };
    case 'disk_lost_writes':
      return { nodes: 'random:1', commits: draw.integer(1, 5) };
    case 'disk_old_copy':
      return { nodes: 'random:1', age: draw.integer(1, 12) };
    case 'wrong_clock':
      return { ms: draw.pick([1, -1]) * draw.pick([2_000, 50_000, 3_600_000]) };
    case 'hostile_token':
      return draw.happens(0.5) ? { burns: draw.integer(1, 5) * 1_000_000 } : {};
    case 'reorder':
      return { window: 10 };
    case 'partition': {
      const last = draw.integer(0, nodes - 2);
      return { groups: [`0..${last}`, `${last + 1}..${nodes - 1}`] };
    }
    case 'stale_head':
      return { lag: draw.integer(1, 3) };
    case 'short_log_ranges':
      return { most: draw.integer(1, 10) };
    // Confirmed blocks are replaced only seldom.
    case 'reorganisation':
      return { depth: draw.happens(0.1) ? confirmations + 1 : draw.integer(1, confirmations) };
    case 'full_blocks':
      return { share: draw.integer(5, 9) / 10 };
    case 'price_spike':
      return { factor: draw.integer(2, 50) };
    default:
      return {};
  }
}
