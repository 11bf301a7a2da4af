/**
 * `GET /`: a page for a person who opens the node's address, with links to what it serves. It needs no script. Where the API
 * wants tokens it says nothing of the node.
 */
import { createHash } from 'node:crypto';
import type { NodeApi, NodeStatus } from '../node/api/api.ts';
import { PROTECTION } from './answers/responses.ts';
import { type Mount, mountOpen } from './checks/entrance.ts';
import { BASE } from './endpoints/endpoint.ts';

const STYLE = `:root { color-scheme: light dark; }
body { max-width: 640px; margin: 0 auto; padding: 32px 16px; background: light-dark(#ffffff, #14171b);
  color: light-dark(#1b1f24, #e6e8eb); font: 16px / 24px system-ui, sans-serif; }
h1 { margin: 0 0 8px; font-size: 24px; line-height: 32px; }
h1 span, p { color: light-dark(#5a6472, #9aa4b1); }
h1 span { font-weight: 400; }
p { margin: 4px 0; }
code { color: light-dark(#1b1f24, #e6e8eb); font-size: 14px; overflow-wrap: anywhere; }
ul { margin: 24px 0 0; padding: 0; list-style: none; }
li { padding: 12px 0; border-top: 1px solid light-dark(#d3d9e0, #343b44); }
a { color: light-dark(#0b5cad, #6cb2ff); font-size: 18px; }`;

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const HEADERS = {
  ...PROTECTION,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

type Link = { path: string; name: string; what: string };
type Parts = {
  mount: Mount;
  node: Pick<NodeApi, 'ownAddress' | 'status'>;
  /** What the operator calls the node; null: nothing. */
  name: string | null;
  /** Whether everybody may ask the API, and so be told of the node. */
  isOpen: boolean;
  hasWallet: boolean;
  hasInspector: boolean;
};

export function landingRoute({ mount, node, name, isOpen, hasWallet, hasInspector }: Parts): void {
  // Relative, so that they also lead on behind a proxy that adds a prefix to the path.
  const links: Link[] = [
    ...(hasWallet
      ? [{ path: 'wallet/', name: 'Wallet', what: 'Pay, be paid, open and close channels.' }]
      : []),
    ...(hasInspector
      ? [{ path: 'inspector/', name: 'Inspector', what: 'Watch channels and payments live.' }]
      : []),
    { path: `${BASE.slice(1)}/docs`, name: 'API', what: 'Every call, described and to be tried.' },
  ];
  const answer = () =>
    new Response(pageOf(links, isOpen ? factsOf(node, name) : ''), { headers: HEADERS });
  mountOpen(mount, '/', answer, 'page');
}

function factsOf({ ownAddress, status }: Parts['node'], name: string | null): string {
  const called = name === null ? '' : `<strong>${escaped(name)}</strong> `;
  return `<p>${called}<code>${ownAddress}</code></p>\n<p>${stateText(status())}</p>\n`;
}

function stateText(now: NodeStatus): string {
  if (now.status === 'ready') return 'Ready: it takes calls.';
  return now.status === 'syncing'
    ? `Not ready yet: it reads the chain, ${now.blocksToSync} blocks to go.`
    : `Not ready: it takes no calls now. <a href="readyz">Why</a>`;
}

const pageOf = (links: readonly Link[], facts: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>sluice node</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>sluice <span>node</span></h1>
${facts}<ul>
${links.map(({ path, name, what }) => `<li><a href="${path}">${name}</a><p>${what}</p></li>`).join('\n')}
</ul>
</main>
</body>
</html>
`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '');
