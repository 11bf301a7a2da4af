/** Answers supervisors and Prometheus: whether a service runs, whether it does its work, and how much of it. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type HealthParts = {
  /** The prefix of each figure's name, e.g. `pathfinding`. */
  name: string;
  /** Why the service cannot do its work at the moment, as text for people; null when it can. */
  trouble(): string | null;
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

export function createHealth({ name, trouble, figures }: HealthParts) {
  const registry = new Registry();
  const gauges = new Map<string, Gauge>();
  const answers = new Counter({
    name: `pcn_${name}_answers_total`,
    help: 'Calls that were answered, by status',
    labelNames: ['status'],
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
    const text = `${await registry.metrics()}\n${await processRegistry().metrics()}`;
    return new Response(text, {
      headers: { ...HEADERS, 'content-type': Registry.PROMETHEUS_CONTENT_TYPE },
    });
  }

  function readiness(): Response {
    const reason = trouble();
    return reason === null
      ? Response.json({ status: 'ready' }, { headers: JSON_HEADERS })
      : Response.json({ errors: reason }, { status: 503, headers: JSON_HEADERS });
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
