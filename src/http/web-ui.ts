/**
 * Serves a folder of static files under `/ui/`: a web page by somebody else that uses this API. Nothing outside the
 * folder is served, and no name that begins with a dot. The files hold no secret, so they need no token; the calls that
 * the page makes do.
 */

import { realpathSync } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { contentTypeOf } from './answers/content-types.ts';
import { failure, ok, PROTECTION, refuse } from './answers/responses.ts';
import type { ApiContext } from './checks/call.ts';
import { type Mount, mountOpen } from './checks/entrance.ts';
import { pagePolicy } from './description/page-policy.ts';
import { BASE } from './endpoints/endpoint.ts';

export type WebUiOptions = {
  folder: string;
  /** Origins that the page may call beside this API: `http://127.0.0.1:6000`. */
  connections: readonly string[];
  /** What the page is told about the node; timeouts in blocks. */
  settleTimeout: bigint;
  revealTimeout: bigint;
  environmentType: 'development' | 'production';
};

const ROOT = '/ui/';
const CONFIG = /^(?:.*\/)?assets\/config\/config\.[\w-]+\.json$/;
/** Bytes of the largest page. */
const PAGE_LIMIT = 4 * 1_048_576;

/** Throws when the folder does not exist. */
export function webUiRoutes({ mount, webUi }: { mount: Mount; webUi: WebUiOptions }): void {
  const folder = realpathSync(webUi.folder);

  for (const path of ['/', '/ui']) mountOpen(mount, path, redirect, 'page');
  const answer = async (c: ApiContext) => {
    const { origin, pathname } = new URL(c.req.url);
    const path = pathIn(pathname.slice(ROOT.length));
    if (path === null) return refuse(failure('unknown_endpoint'));
    if (CONFIG.test(path)) return ok(configFor(origin, webUi));
    const file = await findFile(folder, path);
    return file === null
      ? refuse(failure('unknown_endpoint'))
      : answerWith(file, c.req.method === 'HEAD', webUi.connections);
  };
  mountOpen(mount, `${ROOT}*`, answer, 'page');
}

function redirect(): Response {
  return new Response(null, { status: 302, headers: { ...PROTECTION, location: ROOT } });
}

function configFor(origin: string, webUi: WebUiOptions) {
  return {
    raiden: `${origin}${BASE}`,
    web3: `${origin}/rpc`,
    settle_timeout: Number(webUi.settleTimeout),
    reveal_timeout: Number(webUi.revealTimeout),
    environment_type: webUi.environmentType,
  };
}

/** The path below the folder, or null for one that leads elsewhere or to something hidden. */
function pathIn(encoded: string): string | null {
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return null;
  }
  const isForeign = /[\\\0:]/.test(path) || path.split('/').some((part) => part.startsWith('.'));
  return isForeign ? null : path;
}

/** The file, or the page itself for the address of one of its views (a path without extension). */
async function findFile(folder: string, path: string): Promise<string | null> {
  const file = await fileAt(folder, path);
  if (file !== null || extname(path) !== '') return file;
  return fileAt(folder, 'index.html');
}

/** Null when there is no such file, or when a link leads out of the folder. */
async function fileAt(folder: string, path: string): Promise<string | null> {
  try {
    const file = await realpath(join(folder, path));
    const isWithin = file.startsWith(folder.endsWith(sep) ? folder : folder + sep);
    return isWithin && (await stat(file)).isFile() ? file : null;
  } catch {
    return null;
  }
}

async function answerWith(
  file: string,
  isHead: boolean,
  connections: readonly string[],
): Promise<Response> {
  const handle = await open(file).catch(() => null);
  if (handle === null) return refuse(failure('unknown_endpoint'));
  const extension = extname(file).toLowerCase();
  const headers = (html: string) => ({
    ...PROTECTION,
    'content-type': contentTypeOf(file),
    'content-security-policy': pagePolicy(html, connections),
    'cache-control': 'no-cache',
  });
  if (extension === '.html' || isHead) {
    const page = extension === '.html' ? await textIn(handle) : '';
    await handle.close();
    return new Response(isHead ? null : page, { headers: headers(page) });
  }
  // The stream closes the file when it was read, or when the client leaves.
  return new Response(Readable.toWeb(handle.createReadStream()), { headers: headers('') });
}

/** The text of a page; empty when the file is larger than PAGE_LIMIT. */
async function textIn(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat();
  return size > PAGE_LIMIT ? '' : handle.readFile('utf8');
}
