/** Pages that the build has made of `src/*-page`: static files without secrets, with a policy that lets nothing else in. */
import { readFile } from 'node:fs/promises';
import { contentTypeOf } from './answers/content-types.ts';
import { failure, PROTECTION, refuse } from './answers/responses.ts';
import { type Mount, mountOpen } from './checks/entrance.ts';

/** The names that the build gives to files: no paths, no hidden files. */
const ASSET_NAME = /^[\w-][\w.-]*$/;

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

/** Where the pages of that name are: in the package, or in the working copy after a build. */
export const foldersOf = (name: string): readonly string[] => [
  `../../${name}/`,
  `../../dist/${name}/`,
];

/** Serves the page `index.html` of the folders at `/name/`, with its assets; `/name` leads to it. */
export function mountPage(mount: Mount, name: string): void {
  const folders = foldersOf(`${name}-page`);
  const assets = `/${name}/assets/`;
  // Relative, so that it also works behind a proxy that adds a prefix to the path.
  const moved = { ...PROTECTION, location: `${name}/` };
  mountOpen(mount, `/${name}`, () => new Response(null, { status: 302, headers: moved }), 'page');
  mountOpen(mount, `/${name}/`, () => builtPage('index.html', folders, name), 'page');
  mountOpen(mount, `${assets}*`, (c) =>
    builtAsset(new URL(c.req.url).pathname.slice(assets.length), folders),
  );
}

/** `what`: whose page it is, for people. */
export async function builtPage(
  file: string,
  folders: readonly string[],
  what: string,
): Promise<Response> {
  const body = await fileOf(file, folders);
  if (body === null)
    return refuse(
      failure('unknown_endpoint', `The page of the ${what} is not built: run "npm run build".`),
    );
  const headers = { ...PAGE_HEADERS, 'content-type': contentTypeOf(file) };
  return new Response(body, { headers });
}

/** A script or style of the pages. Its name contains a hash of its content, so it may be cached for ever. */
export async function builtAsset(name: string, folders: readonly string[]): Promise<Response> {
  const body = ASSET_NAME.test(name) ? await fileOf(`assets/${name}`, folders) : null;
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
