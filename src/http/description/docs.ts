/**
 * The page that shows the OpenAPI document and lets a person try the calls. The node itself serves all of its files:
 * Swagger UI's were copied into the package by its build.
 */
import { readFile } from 'node:fs/promises';
import { failure, PROTECTION, refuse } from '../answers/responses.ts';
import { type Mount, mountOpen } from '../checks/entrance.ts';
import { BASE } from '../endpoints/endpoint.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The API of this node</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<section class="first" aria-label="The first call">
<p>Ask the node who it is: open <a id="first-link" href="#operations-Node-getAddress">the call</a> and press <em>Try it out</em>, or in a shell:</p>
<pre><code id="first-call">curl THE_NODE/api/v1/address</code></pre>
</section>
<div id="document"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const START = `const base = location.href.replace(/\\/docs.*$/, '');
document.getElementById('first-call').textContent = 'curl ' + base + '/address';
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
document.getElementById('first-link').addEventListener('click', (event) => {
  const call = document.getElementById('operations-Node-getAddress');
  if (call === null) return;
  event.preventDefault();
  if (!call.classList.contains('is-open')) call.querySelector('button').click();
  call.scrollIntoView();
});
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#document',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** What Swagger UI leaves to its page: the ground in both themes, and the first call above all others. */
const PAGE_STYLE = `:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#ffffff, #1c2022); color: light-dark(#3b4151, #e4e6e6); }
.first { max-width: 1460px; margin: 0 auto; padding: 16px 20px 0; font: 16px / 24px system-ui, sans-serif;
  box-sizing: border-box; }
.first p { margin: 0 0 8px; }
.first a { color: light-dark(#0b5cad, #6cb2ff); }
.first pre { margin: 0; padding: 8px 12px; border-radius: 4px; background: light-dark(#f3f5f7, #2a2f32);
  overflow-wrap: anywhere; white-space: pre-wrap; }
.swagger-ui .info { margin: 16px 0; }
.swagger-ui .info table { display: block; overflow-x: auto; }
`;

/** Only scripts and styles from the node, nothing inline; Swagger UI's icons are `data:` URLs in its styles. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type File = Uint8Array<ArrayBuffer> | null;

/** Where Swagger UI's files are: in the package, or in the working copy before a build. */
const FOLDERS = ['../../swagger-ui/', '../../../node_modules/swagger-ui-dist/'];

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Open to everybody at any time: the pages describe the program, not the node. */
export function mountDocs(mount: Mount): void {
  function show(path: string, type: string, read: () => string | Promise<File>): void {
    const headers = { ...PROTECTION, 'content-security-policy': POLICY, 'content-type': type };
    const work = async () => {
      const body = await read();
      return body === null ? refuse(failure('unknown_endpoint')) : new Response(body, { headers });
    };
    mountOpen(mount, `${BASE}/docs${path}`, work, 'page');
  }

  show('', HTML, () => PAGE);
  show('/start.js', SCRIPT, () => START);
  show('/page.css', STYLE, () => PAGE_STYLE);
  show('/swagger-ui-bundle.js', SCRIPT, () => asset('swagger-ui-bundle.js'));
  show('/swagger-ui.css', STYLE, () => asset('swagger-ui.css'));
}

/** The file's content; null when the installation lacks it, which is no reason to stop an API that moves money. */
async function asset(name: string): Promise<File> {
  for (const folder of FOLDERS) {
    const content = await readFile(new URL(folder + name, import.meta.url)).catch(() => null);
    if (content !== null) return content;
  }
  return null;
}
