/**
 * The content security policy of a page that is not ours. The page may use itself and this API, and run the scripts
 * that its operator put into it: inline scripts and handlers are allowed by their hash, so that text which gets into
 * the page later does not run as a script. `unsafe-eval` is allowed because Web3 libraries make functions out of text.
 */
import { createHash } from 'node:crypto';

const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi;
const HANDLER = /\son[a-z]+\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;
const MOST_HASHES = 100;

/** `html`: the page as it is sent. `connections`: origins beside this one that its scripts may call. */
export function pagePolicy(html: string, connections: readonly string[]): string {
  const scripts = [...html.matchAll(SCRIPT)]
    .filter(([, attributes = '']) => !/\ssrc\s*=/i.test(attributes))
    .map(([, , code = '']) => code);
  const markup = html.replaceAll(SCRIPT, '<script$1></script>');
  const handlers = [...markup.matchAll(HANDLER)].map(
    ([, double, single]) => double ?? single ?? '',
  );
  const hashes = [...new Set([...scripts, ...handlers].map(hashOf))].slice(0, MOST_HASHES);
  const allowed = handlers.length === 0 ? hashes : ["'unsafe-hashes'", ...hashes];
  return [
    "default-src 'self'",
    ["script-src 'self' 'unsafe-eval'", ...allowed].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    ["connect-src 'self'", ...connections].join(' '),
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function hashOf(code: string): string {
  return `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
}
