/**
 * The inspector of one node: answers everything below `/inspector/` but the page itself. It only reads, and
 * whatever goes wrong in it stays in it: the node that it watches holds money.
 */
import type { Inspection } from '../node/inspection.ts';
import { fleetRoute } from './fleet-route.ts';
import { proofsRoute } from './proofs-route.ts';
import { type Answer, answered, type Question, type Route, refused } from './route.ts';
import type { NodeFacts } from './wire.ts';

export type InspectorOptions = {
  inspection: Inspection;
  /** Told of what was thrown where nothing may be. */
  onFailure?: (error: unknown) => void;
};
export type Inspector = {
  /** Takes GET and HEAD. Its streams end with `ending`. Never rejects. */
  handle(request: Request, ending?: AbortSignal): Promise<Response>;
  /** Ends all that runs for its readers. */
  end(): Promise<void>;
};

const ROOT = '/inspector/';
const JSON_TYPE = 'application/json';

export function createInspector({ inspection, onFailure = () => {} }: InspectorOptions): Inspector {
  const routes: readonly Route[] = [
    nodeRoute(inspection),
    fleetRoute(inspection),
    proofsRoute(inspection),
  ];

  async function find(question: Question): Promise<Answer> {
    for (const route of routes) {
      const answer = await route(question);
      if (answer !== null) return answer;
    }
    return refused(404, 'There is no such endpoint.');
  }

  return {
    async handle(request) {
      try {
        const question = questionOf(request.url);
        const answer =
          question === null ? refused(404, 'The URL is malformed.') : await find(question);
        return responseOf(answer, request.method === 'HEAD');
      } catch (error) {
        onFailure(error);
        return new Response('Internal server error', { status: 500 });
      }
    },
    async end() {},
  };
}

function nodeRoute({ facts, tokens, nowBlock }: Inspection): Route {
  return ({ path }) => {
    if (path.join('/') !== 'node') return null;
    const view: NodeFacts = { ...facts, block: nowBlock(), tokens: tokens() };
    return answered(view);
  };
}

/** Null when a part of the path is no text. */
function questionOf(url: string): Question | null {
  const { pathname, searchParams } = new URL(url);
  try {
    const path = pathname.slice(ROOT.length).split('/').map(decodeURIComponent);
    return { path, query: searchParams };
  } catch {
    return null;
  }
}

function responseOf(answer: Answer, isHead: boolean): Response {
  if (answer.ok) {
    const headers = { 'content-type': answer.type ?? JSON_TYPE };
    return new Response(isHead ? null : answer.body, { headers });
  }
  const headers = {
    'content-type': JSON_TYPE,
    ...(answer.status === 503 ? { 'retry-after': '5' } : {}),
  };
  const body = isHead ? null : JSON.stringify({ errors: answer.errors });
  return new Response(body, { status: answer.status, headers });
}
