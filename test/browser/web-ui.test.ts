import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { serveNode } from '../../src/host/node-api.ts';
import { useBrowser } from '../support/browser.ts';
import { fakeNode } from '../unit/http/fake-node.ts';

/** The call to the service, and what the browser says of the one that the policy forbids. */
const EXPECTED = /^foreign request: |Content Security Policy/;

describe('a page of --web-ui', () => {
  const browser = useBrowser();
  const endings: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });

  /** The origin of a service that lets every page read its answer. */
  async function startService(): Promise<string> {
    const service = createServer((_, response) => {
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('found');
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    endings.push(() => new Promise((resolve) => service.close(resolve)));
    const address = service.address();
    if (address === null || typeof address === 'string') throw new Error('it has no port');
    return `http://127.0.0.1:${address.port}`;
  }

  async function servePage(script: string, connections: string[]): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-page-'));
    endings.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(
      join(folder, 'index.html'),
      '<link rel="icon" href="data:,"><p></p><script src="/ui/main.js"></script>',
    );
    writeFileSync(join(folder, 'main.js'), script);
    const webUi = {
      folder,
      connections,
      settleTimeout: 500n,
      revealTimeout: 50n,
      environmentType: 'development' as const,
    };
    const served = await serveNode({
      node: fakeNode(),
      config: { host: '127.0.0.1', port: 0, concurrency: 1, webUi, tokens: [] },
      onInternalError: (error) => expect(error).toBeUndefined(),
    });
    if (!served.ok) throw new Error(served.message);
    endings.push(() => served.value.end());
    return `${served.value.url}/ui/`;
  }

  it('may make functions out of text and call the path-finding service, but no other host', async () => {
    const [service, stranger] = [await startService(), await startService()];
    const script = `
      const say = (text) => { document.querySelector('p').append(text + ' '); };
      say(new Function('return 6 * 7')());
      const ask = (url) => fetch(url).then((answer) => answer.text(), () => 'refused').then(say);
      ask('${service}').then(() => ask('${stranger}'));`;
    const page = await browser.openPage(await servePage(script, [service]), {
      expected: EXPECTED,
    });
    await page.getByText('42 found refused').waitFor();
  });
});
