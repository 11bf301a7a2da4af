/** Which database a `--database` value names. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Location = { kind: 'memory' } | { kind: 'file'; path: string };

const SUPPORTED = 'supported are file:/path/to/sluice.db and :memory:';

/** The place that `url` names, or the reason why it cannot be used. */
export function parseLocation(url: string): Location | { kind: 'unsupported'; message: string } {
  if (url === ':memory:' || url === 'file::memory:') return { kind: 'memory' };
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme !== 'file') {
    const found = scheme === undefined ? 'no scheme' : `the scheme ${scheme}:`;
    return { kind: 'unsupported', message: `the database URL has ${found}: ${SUPPORTED}` };
  }
  if (/[?#]/.test(url)) {
    return { kind: 'unsupported', message: `the database URL has parameters: ${SUPPORTED}` };
  }
  const path = filePath(url);
  if (path === null || path.endsWith('/')) {
    return { kind: 'unsupported', message: `the database URL names no local file: ${SUPPORTED}` };
  }
  return { kind: 'file', path: resolve(path) };
}

/** `file:/a b` and `file:a` hold the path as it is; `file:///a%20b` is a URL whose path is escaped. */
function filePath(url: string): string | null {
  const rest = url.slice('file:'.length);
  if (!rest.startsWith('//')) return rest === '' ? null : rest;
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
}
