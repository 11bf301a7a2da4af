/** Answers supervisors and Prometheus: whether a service runs, whether it does its work, and how much of it. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock, Log } from '../../basics/environment.ts';
import {
  type BadRow,
  badRows,
  type Check,
  createRows,
  optional,
  type Row,
} from '../../basics/health.ts';

export type HealthParts = {
  /** The prefix of each figure's name, e.g. `pathfinding`. */
  name: string;
  /** What the service needs to keep its promises, as it is now. */
  rows(): Row[];
  /** The figures that are counted when somebody asks, by name, each with its help text. */
  figures(): Readonly<Record<string, { help: string; value: number }>>;
};

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json' };

/** Metrics of the process, made once however many services it runs. */
let ofProcess: Registry | null = null;

function processRegistry(): Registry {
  if (ofProcess !== null) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  return ofProcess;
}

export function createServiceHealth({ name, rows, figures }: HealthParts) {
  const registry = new Registry();
  const gauges = new Map<string, Gauge>();
  const answers = new Counter({
    name: `pcn_${name}_answers_total`,
    help: 'Calls that were answered, by status',
    labelNames: ['status'],
    registers: [registry],
  });
  const health = new Gauge({
    name: `pcn_${name}_health`,
    help: 'Whether the service has what it needs to keep its promises: 1, or 0',
    labelNames: ['check'],
    registers: [registry],
  });

  function gaugeOf(figure: string, help: string): Gauge {
    const made =
      gauges.get(figure) ??
      new Gauge({ name: `pcn_${name}_${figure}`, help, registers: [registry] });
    gauges.set(figure, made);
    return made;
  }

  async function metrics(): Promise<Response> {
    for (const [figure, { help, value }] of Object.entries(figures()))
      gaugeOf(figure, help).set(value);
    for (const { id, isGood } of rows())
      if (isGood !== null) health.set({ check: id }, Number(isGood));
    const text = `${await registry.metrics()}\n${await processRegistry().metrics()}`;
    return new Response(text, {
      headers: { ...HEADERS, 'content-type': Registry.PROMETHEUS_CONTENT_TYPE },
    });
  }

  function readiness(): Response {
    const troubles = badRows(rows());
    const isKept = troubles.every(({ isNeeded }) => !isNeeded);
    const text = troubles.map(({ trouble }) => trouble.body).join(' ');
    const told = {
      ...(isKept ? { status: 'ready' } : { errors: text }),
      ...(isKept && troubles.length > 0 ? { warning: text } : {}),
      ...(troubles.length > 0 ? { checks: troubles.map(shown) } : {}),
    };
    return Response.json(told, { status: isKept ? 200 : 503, headers: JSON_HEADERS });
  }

  return {
    /** Answers a health call; null when the request is not one. */
    async answer(request: Request): Promise<Response | null> {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null;
      switch (new URL(request.url).pathname) {
        case '/livez':
          return Response.json({ status: 'ok' }, { headers: JSON_HEADERS });
        case '/readyz':
          return readiness();
        case '/metrics':
          return metrics();
        default:
          return null;
      }
    },
    /** Counts another answered call by its status. */
    answered: (status: number): void => answers.inc({ status: `${status}` }),
  };
}

function shown({ id, keeps, trouble, since }: BadRow) {
  return { check: id, keeps, trouble: trouble.body, since: new Date(since).toISOString() };
}

/** What is wrong, in one text for people; as `Check.look` otherwise. */
type Found = () => string | null | undefined;

/** Without what this keeps the service takes nothing on. */
export const neededCheck = (keeps: string, summary: string, find: Found): Check => ({
  keeps,
  urgency: 'high',
  look: () => told(summary, find),
  isNeeded: () => true,
});

/** There is still time to mend it. */
export const laterCheck = (keeps: string, summary: string, find: Found): Check => ({
  keeps,
  urgency: 'normal',
  look: () => told(summary, find),
});

const told = (summary: string, find: Found) => optional(find(), (body) => ({ summary, body }));

/** Answers the rows of the table. A line is written when a trouble begins and when it ends, so it has to be called regularly. */
export function watchHealth(
  table: Readonly<Record<string, Check>>,
  { clock, log }: { clock: Pick<Clock, 'now'>; log: Log },
): () => Row[] {
  const rows = createRows(table, clock);
  const bad = new Set<string>();

  function tell({ id, keeps, isNeeded, trouble }: Row): void {
    if (trouble === null) {
      if (bad.delete(id)) log.info({ check: id }, `well again: ${keeps}`);
      return;
    }
    if (bad.has(id)) return;
    bad.add(id);
    log[isNeeded ? 'error' : 'warn']({ check: id }, trouble.body);
  }

  return () => {
    const found = rows();
    found.forEach(tell);
    return found;
  };
}
