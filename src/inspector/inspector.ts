/**
 * The inspector of one node: answers all requests below `/inspector/` except those for the page itself. It only
 * reads, and its errors never reach the node, which holds money.
 */
import type { Caller } from '../http/queue/lines.ts';
import type { Inspection } from '../node/api/inspection.ts';
import { actorListRoute } from './actor-list-route.ts';
import { actorRoute } from './actor-view.ts';
import {
  answered,
  type InspectorAnswer,
  type InspectorQuestion,
  type InspectorRoute,
  NO_HISTORY,
  numberIn,
  routeRefusal,
} from './base/route.ts';
import { machinesRoute } from './charts/machines-route.ts';
import { overviewRoute } from './overview-route.ts';
import { proofsRoute } from './proofs-route.ts';
import { plainResponse, wantsTags } from './replay/plain-numbers.ts';
import { createStreamClient, type StreamClient } from './stream/client.ts';
import { createEvents } from './stream/route.ts';
import { workerFor } from './stream/start.ts';
import type { StartWorker } from './stream/supervisor.ts';
import type { Labels, NodeFacts } from './wire.ts';

export type InspectorOptions = {
  inspection: Inspection;
  /** What people call tokens and addresses; when absent, there are no names. */
  labels?: () => Promise<Labels>;
  /** What a block took of late, in seconds; null: not known. */
  blockSeconds?: () => Promise<number | null>;
  /** Called with each unexpected error: no request should cause one. */
  onFailure?: (error: unknown) => void;
  /** Milliseconds between heartbeats on a quiet stream. */
  heartbeatMs?: number;
  /** Starts the worker of the stream; by default where it disturbs the node least. */
  start?: StartWorker;
};
export type NodeInspector = {
  /** Answers GET and HEAD. Its streams end when `ending` is aborted, and count for `caller`. Never rejects. */
  handle(request: Request, ending?: AbortSignal, caller?: Caller): Promise<Response>;
  /** Ends the streams and the worker. */
  end(): Promise<void>;
};

const ROOT = '/inspector/';
/** Whoever asks where nobody tells callers apart. */
const ALONE: Caller = {};
const JSON_TYPE = 'application/json';
/** Steps in one answer of the history: the most that may be asked for, and the number when none is asked for. */
const MOST_STEPS = 500;
const USUAL_STEPS = 200;

export function createInspector({ inspection, ...options }: InspectorOptions): NodeInspector {
  const { onFailure = () => {}, heartbeatMs = 15_000, labels = noLabels } = options;
  const { journal } = inspection;
  const { start = workerFor(journal), blockSeconds = async () => null } = options;
  const stream = createStreamClient({ journal, start, onFailure });
  const events = createEvents({ journal, stream, heartbeatMs, onFailure });
  const routes: readonly InspectorRoute[] = [
    nodeRoute(inspection),
    overviewRoute({ inspection, labels, blockSeconds }),
    labelsRoute(labels),
    historyRoute(stream),
    actorListRoute(inspection),
    actorRoute(inspection, stream.history),
    proofsRoute(inspection),
    machinesRoute(),
  ];

  async function find(question: InspectorQuestion): Promise<InspectorAnswer> {
    for (const route of routes) {
      const answer = await route(question);
      if (answer !== null) return answer;
    }
    return routeRefusal(404, 'There is no such endpoint.');
  }

  type Asked = { request: Request; ending: AbortSignal | undefined; caller: Caller };
  async function answerTo(asked: Asked): Promise<InspectorAnswer | Response> {
    const question = questionOf(asked.request.url);
    if (question === null) return routeRefusal(404, 'The URL is malformed.');
    return question.path.join('/') === 'events' ? events.answer(asked) : find(question);
  }

  return {
    async handle(request, ending, caller = ALONE) {
      try {
        const answer = await answerTo({ request, ending, caller });
        const isHead = request.method === 'HEAD';
        const response = answer instanceof Response ? answer : responseOf(answer, isHead);
        const { searchParams } = new URL(request.url);
        return wantsTags(searchParams) ? response : await plainResponse(response);
      } catch (error) {
        onFailure(error);
        return new Response('Internal server error', { status: 500 });
      }
    },
    async end() {
      events.end();
      await stream.end();
    },
  };
}

function nodeRoute({ facts, tokens, nowBlock, troubles, journal }: Inspection): InspectorRoute {
  return ({ path }) => {
    if (path.join('/') !== 'node') return null;
    const now = {
      block: nowBlock(),
      tokens: tokens(),
      troubles: troubles(),
      seq: journal.bounds().newest,
    };
    const view: NodeFacts = { ...facts, ...now };
    return answered(view);
  };
}

const noLabels = async (): Promise<Labels> => ({ tokens: [], names: [] });

function labelsRoute(labels: () => Promise<Labels>): InspectorRoute {
  return async ({ path }) => (path.join('/') === 'labels' ? answered(await labels()) : null);
}

function historyRoute({ history }: StreamClient): InspectorRoute {
  return async ({ path: [room, actor, name, ...rest], query }) => {
    if (room !== 'actors' || name !== 'history' || rest.length > 0 || !actor) return null;
    const before = numberIn(query, 'before', { absent: null });
    if (!before.ok) return before;
    const limit = numberIn(query, 'limit', { absent: USUAL_STEPS, most: MOST_STEPS });
    if (!limit.ok) return limit;
    const after = numberIn(query, 'after', { absent: 0 });
    if (!after.ok) return after;
    const about = query.get('about')?.split(',');
    const place = { before: before.value, after: after.value, limit: limit.value };
    const body = await history({ actor, ...place, ...(about && { about }) });
    return body === null ? NO_HISTORY : { ok: true, body };
  };
}

/** Null when the path is not well escaped. */
function questionOf(url: string): InspectorQuestion | null {
  const { pathname, searchParams } = new URL(url);
  try {
    const path = pathname.slice(ROOT.length).split('/').map(decodeURIComponent);
    return { path, query: searchParams };
  } catch {
    return null;
  }
}

function responseOf(answer: InspectorAnswer, isHead: boolean): Response {
  if (answer.ok) {
    const headers = {
      'content-type': answer.type ?? JSON_TYPE,
      ...(answer.policy === undefined ? {} : { 'content-security-policy': answer.policy }),
    };
    return new Response(isHead ? null : answer.body, { headers });
  }
  const headers = {
    'content-type': JSON_TYPE,
    ...(answer.status === 503 ? { 'retry-after': '5' } : {}),
  };
  const body = isHead ? null : JSON.stringify({ errors: answer.errors });
  return new Response(body, { status: answer.status, headers });
}
