/**
 * The metrics for Prometheus: how the node is doing, in numbers. Counters and times are recorded as they happen,
 * everything else is counted when Prometheus asks. Only the label `token` holds an address.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { NodeApi, NodeStats } from '../node/api/api.ts';
import type { HealthRow } from '../node/health/check.ts';
import type { Meter } from '../node/runtime/knowledge/meter.ts';
import { PROTECTION } from './answers/responses.ts';
import type { Mount } from './checks/entrance.ts';
import { BASE } from './endpoints/endpoint.ts';
import { OVERLOADS, type Overload } from './queue/gate.ts';
import type { Turns } from './queue/turns.ts';

export type Metrics = ReturnType<typeof createMetrics>;

const COMMIT_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const PAYMENT_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Role and result of a row of the history. */
const RECORDED = {
  'record.paymentSent': ['initiator', 'paid'],
  'record.paymentFailed': ['initiator', 'failed'],
  'record.paymentReceived': ['target', 'paid'],
} as const;

/** Metrics of the process, made once however many nodes it runs: their observers can never be removed again. */
let ofProcess: Registry | null = null;

function processRegistry(): Registry {
  if (ofProcess !== null) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  return ofProcess;
}

/** `freeBytes`: free space on the disk of the database; null when it is not known. */
export function createMetrics({ freeBytes = async () => null }: { freeBytes?: FreeBytes } = {}) {
  const registry = new Registry();
  const noted = createNoted(registry);
  const show = createGauges(registry);
  /** The page that is being made: whoever asks meanwhile gets it, too. */
  let making: Promise<string> | null = null;

  async function made(node: NodeApi, turns: Pick<Turns, 'waiting'>): Promise<string> {
    const own = { waiting: turns.waiting(), free: await freeBytes() };
    show(await node.stats(), node.health(), own);
    return `${await registry.metrics()}\n${await processRegistry().metrics()}`;
  }

  return {
    /** The meter among the node's parts. */
    meter: noted.meter,
    /** Called when an API call was answered; `path` is the mounted path, null when there is none. */
    answered: noted.answered,
    /** Called when an API call was refused because too many wait; such a call is answered, too. */
    refused: noted.refused,
    /** The text of the page. */
    page(node: NodeApi, turns: Pick<Turns, 'waiting'>): Promise<string> {
      making ??= made(node, turns).finally(() => {
        making = null;
      });
      return making;
    },
  };
}

type FreeBytes = () => Promise<number | null>;

export function metricsRoutes(parts: {
  node: NodeApi;
  turns: Turns;
  mount: Mount;
  metrics: Metrics;
}): void {
  const { node, turns, mount, metrics } = parts;
  const headers = { ...PROTECTION, 'content-type': Registry.PROMETHEUS_CONTENT_TYPE };
  const work = async () => new Response(await metrics.page(node, turns), { headers });
  for (const base of ['', BASE]) {
    mount({ method: 'GET', path: `${base}/metrics`, scope: 'metrics', atOnce: true }, work);
  }
}

/** The metrics that are recorded as things happen. */
function createNoted(registry: Registry) {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `pcn_${name}`, help, labelNames, registers: [registry] });
  const seconds = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `pcn_${name}`, help, buckets, registers: [registry] });

  const payments = counter('payments_total', 'Payments that ended', ['role', 'result', 'reason']);
  const mediated = counter('mediation_fees_total', 'Kept for passing transfers on', ['token']);
  const messages = counter('messages_total', 'Partner messages', ['type', 'dir', 'result']);
  const transactions = counter('tx_total', 'Transaction jobs that ended', ['kind', 'result']);
  const reorgs = counter('chain_reorgs_total', 'Blocks that were replaced at the head');
  const violations = counter('invariant_violations_total', 'Internal failures; must be 0');
  const requests = counter('api_requests_total', 'API calls', ['route', 'method', 'code']);
  const overloads = counter('api_refused_total', 'API calls refused because too many wait', [
    'reason',
  ]);
  for (const reason of OVERLOADS) overloads.inc({ reason }, 0);
  const commits = seconds('db_commit_seconds', 'Until a commit is on disk', COMMIT_SECONDS);
  const attempts = new Histogram({
    name: 'pcn_payment_attempts',
    help: 'Routes that were tried for a payment of this node; 0: none was found',
    buckets: [0, 1, 2, 3],
    registers: [registry],
  });
  const durations = seconds(
    'payment_duration_seconds',
    'From the call to its answer, of payments that arrived',
    PAYMENT_SECONDS,
  );

  const meter: Meter = {
    commit: () => commits.startTimer(),
    payment() {
      const end = durations.startTimer();
      return (isPaid) => void (isPaid && end());
    },
    recorded(payment) {
      const [role, result] = RECORDED[payment.type];
      const why = payment.type === 'record.paymentFailed' ? { reason: payment.code } : {};
      payments.inc({ role, result, ...why });
      if (payment.type !== 'record.paymentReceived') attempts.observe(payment.attempts);
    },
    // Without a cap on fees a mediation's fee may be negative, and a counter cannot fall: such fees are left out.
    mediated: ({ token, fee }) => void (fee > 0n && mediated.inc({ token }, Number(fee))),
    message: (type, dir, result) => messages.inc({ type, dir, result }),
    transaction: (kind, isDone) =>
      transactions.inc({ kind: kind.slice('tx.'.length), result: isDone ? 'done' : 'failed' }),
    reorg: () => reorgs.inc(),
    violation: () => violations.inc(),
  };
  return {
    meter,
    refused: (reason: Overload['overload']) => overloads.inc({ reason }),
    answered(path: string | null, method: string, code: number): void {
      requests.inc({
        route: path ?? 'other',
        method: METHODS.has(method) ? method : 'other',
        code,
      });
    },
  };
}

/** Calls that wait, and free bytes on the disk of the database; null: not known. */
type Own = { waiting: number; free: number | null };

const METHODS = new Set(['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** The metrics that are counted when somebody asks. An unknown figure is left out. */
function createGauges(registry: Registry) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `pcn_${name}`, help, labelNames, registers: [registry] });

  const channels = gauge('channels', 'Channels', ['state', 'token']);
  const capacity = gauge(
    'channel_capacity',
    'What a side of the channels could pay now, in the smallest unit',
    ['token', 'side'],
  );
  const locks = gauge('locks_pending', 'Locks of payments that are not over', ['role']);
  const actors = gauge('actor_count', 'Actors', ['machine', 'state']);
  const checks = gauge('health', 'Whether what the node keeps is so: 1, or 0', [
    'check',
    'urgency',
  ]);
  const single = {
    slack: gauge('lock_slack_blocks', 'Fewest blocks until a lock that pays this node runs out'),
    outbox: gauge('outbox_depth', 'Messages that wait for their acknowledgement'),
    broker: gauge('broker_connected', 'Whether the message broker is there: 1, or 0'),
    replica: gauge('replica_connected', 'Whether the stream of the replica is there: 1, or 0'),
    head: gauge('chain_head', 'Newest block'),
    lag: gauge('chain_lag_blocks', 'Confirmed blocks that are not handled yet'),
    late: gauge(
      'deadline_late_blocks',
      'Blocks by which a deadline was judged too late, in ten minutes',
    ),
    transactions: gauge('tx_pending', 'Transaction jobs that are not confirmed'),
    gas: gauge('gas_reserve_ratio', 'Money for gas, by what closing all channels would cost'),
    budget: gauge(
      'gas_budget_left',
      'Part of the gas that the worst partner may still cost: 1 to 0',
    ),
    deposit: gauge('udc_balance', 'What is left of the user deposit, in the smallest unit'),
    free: gauge('db_free_bytes', 'Free space on the disk of the database'),
    waiting: gauge('api_queue_depth', 'API calls that wait for their turn'),
  };
  const all = [channels, capacity, locks, actors, checks, ...Object.values(single)];

  return (stats: NodeStats, health: readonly HealthRow[], { waiting, free }: Own) => {
    for (const each of all) each.reset();
    for (const { token, state, count, ownCapacity, partnerCapacity } of stats.channels.values()) {
      channels.set({ state, token }, count);
      if (state !== 'opened') continue;
      capacity.set({ token, side: 'own' }, Number(ownCapacity));
      capacity.set({ token, side: 'partner' }, Number(partnerCapacity));
    }
    for (const [role, count] of Object.entries(stats.locks)) locks.set({ role }, count);
    for (const { machine, state, count } of stats.actors.values())
      actors.set({ machine, state }, count);
    for (const { id, urgency, isGood } of health)
      if (isGood !== null) checks.set({ check: id, urgency }, Number(isGood));
    const { chain } = stats;
    set(single.slack, stats.lockSlack);
    set(single.outbox, stats.outbox);
    set(single.broker, stats.isOnBroker ? 1 : 0);
    set(single.replica, stats.isReplicated === null ? null : Number(stats.isReplicated));
    set(single.head, chain?.head ?? null);
    set(single.lag, chain?.lag ?? null);
    set(single.late, stats.lateBlocks);
    set(single.transactions, stats.transactions);
    set(single.gas, stats.gasReserveRatio);
    set(single.budget, stats.gasBudgetLeft);
    set(single.deposit, stats.userDeposit);
    set(single.free, free);
    set(single.waiting, waiting);
  };
}

function set(gauge: Gauge, value: bigint | number | null): void {
  if (value === null) gauge.remove();
  else gauge.set(Number(value));
}
