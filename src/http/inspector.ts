/**
 * The inspector below `/inspector/`: its page, which holds no secret and needs no token, and the data for the page and
 * other readers, which needs a token with the scope `read`. All of it is answered while the node syncs, too: that is
 * when people want to look into it.
 */

import { failure, internalError, PROTECTION, refuse } from './answers/responses.ts';
import { builtAsset, builtPage, foldersOf, mountPage } from './built-pages.ts';
import { grantOf } from './checks/call.ts';
import type { Mount } from './checks/entrance.ts';
import type { Caller } from './queue/lines.ts';
import { createPlaces } from './queue/places.ts';

/** Answers the calls for data below the page. Streams end with the signal, and count for their caller. */
export type Inspector = {
  handle(request: Request, ending: AbortSignal, caller: Caller): Promise<Response>;
};

const ROOT = '/inspector/';
const FOLDERS = foldersOf('inspector-page');

/** Answers that are put together at a time: a list of thousands of actors takes memory and a while. */
const MOST_AT_ONCE = 32;

type Parts = {
  mount: Mount;
  inspector: Inspector;
  /** Ends all streams. */
  ending: AbortSignal;
};

export function inspectorRoutes({ mount, inspector, ending }: Parts): void {
  mountPage(mount, 'inspector');
  const places = createPlaces(MOST_AT_ONCE);
  mount({ method: 'GET', path: `${ROOT}*`, scope: 'read', atOnce: true }, async (c) => {
    const caller = grantOf(c);
    if (!places.take(caller)) return refuse(failure('too_many_calls'));
    try {
      return await guarded(() => inspector.handle(c.req.raw, ending, caller));
    } finally {
      places.giveBack(caller);
    }
  });
}

/**
 * One of the built pages: `index.html` for a node, `network.html` for a devnet. `folders`: where to look for it,
 * relative to this file.
 */
export function inspectorPage(
  name: 'index.html' | 'network.html' = 'index.html',
  folders: readonly string[] = FOLDERS,
): Promise<Response> {
  return builtPage(name, folders, 'inspector');
}

/** A script or style of the pages. */
export function inspectorAsset(name: string): Promise<Response> {
  return builtAsset(name, FOLDERS);
}

/** A failing inspector must not stop the node: an error here ends this one answer only. */
async function guarded(answer: () => Promise<Response>) {
  try {
    const response = await answer();
    for (const [name, value] of Object.entries(PROTECTION))
      if (!response.headers.has(name)) response.headers.set(name, value);
    return response;
  } catch {
    return internalError();
  }
}
