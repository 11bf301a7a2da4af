/**
 * The inspector below `/inspector/`: its page, which holds no secret and needs no token, and the data for the page and
 * other readers, which needs a token with the scope `read`. All of it is answered while the node syncs, too: that is
 * when people want to look into it.
 */
import { readFile } from 'node:fs/promises';
import { contentTypeOf } from './answers/content-types.ts';
import { failure, internalError, PROTECTION, refuse } from './answers/responses.ts';
import { grantOf, type Mount, mountOpen } from './checks/entrance.ts';
import type { Caller } from './checks/lines.ts';
import { createPlaces } from './checks/places.ts';

/** Answers the calls for data below the page. Streams end with the signal, and count for their caller. */
export type Inspector = {
  handle(request: Request, ending: AbortSignal, caller: Caller): Promise<Response>;
};

const ROOT = '/inspector/';
const ASSETS = `${ROOT}assets/`;
/** Where the built pages are: in the package, or in the working copy after a build. */
const FOLDERS = ['../../inspector-page/', '../../dist/inspector-page/'];
/** The names that the build gives to files: no paths, no hidden files. */
const ASSET_NAME = /^[\w-][\w.-]*$/;

/** Answers that are put together at a time: a list of thousands of actors takes memory and a while. */
const MOST_AT_ONCE = 32;

/** Nothing from other origins and nothing inline: text that gets into the page never runs as a script. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; worker-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE_HEADERS: Record<string, string> = {
  ...PROTECTION,
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

type Parts = {
  mount: Mount;
  inspector: Inspector;
  /** Ends all streams. */
  ending: AbortSignal;
};

export function inspectorRoutes({ mount, inspector, ending }: Parts): void {
  // Relative, so that it also works behind a proxy that adds a prefix to the path.
  const moved = { ...PROTECTION, location: 'inspector/' };
  const redirect = () => new Response(null, { status: 302, headers: moved });
  mountOpen(mount, '/inspector', redirect, 'page');
  mountOpen(mount, ROOT, () => inspectorPage(), 'page');
  mountOpen(mount, `${ASSETS}*`, (c) =>
    inspectorAsset(new URL(c.req.url).pathname.slice(ASSETS.length)),
  );
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
export async function inspectorPage(
  name: 'index.html' | 'network.html' = 'index.html',
  folders: readonly string[] = FOLDERS,
): Promise<Response> {
  const body = await fileOf(name, folders);
  if (body === null)
    return refuse(
      failure('unknown_endpoint', 'The page of the inspector is not built: run "npm run build".'),
    );
  const headers = { ...PAGE_HEADERS, 'content-type': contentTypeOf(name) };
  return new Response(body, { headers });
}

/** A script or style of the pages. Its name contains a hash of its content, so it may be cached for ever. */
export async function inspectorAsset(name: string): Promise<Response> {
  const body = ASSET_NAME.test(name) ? await fileOf(`assets/${name}`, FOLDERS) : null;
  if (body === null) return refuse(failure('unknown_endpoint'));
  const headers = {
    ...PAGE_HEADERS,
    'content-type': contentTypeOf(name),
    'cache-control': 'public, max-age=31536000, immutable',
  };
  return new Response(body, { headers });
}

async function fileOf(name: string, folders: readonly string[]) {
  for (const folder of folders) {
    const content = await readFile(new URL(folder + name, import.meta.url)).catch(() => null);
    if (content !== null) return content;
  }
  return null;
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
