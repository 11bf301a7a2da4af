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
</head>
<body>
<div id="document"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#document',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
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
