/** The API on a Unix socket: for whoever may open its file, and for nobody else. */
import { linkSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkApi } from '../../src/cli/doctor/network.ts';
import { listenProblem } from '../../src/host/node-api.ts';
import { createApp } from '../../src/http/app.ts';
import { type ApiServer, serve } from '../../src/http/server.ts';
import { startWorld } from '../support/processes.ts';
import { fakeNode, TOKEN } from '../unit/http/fake-node.ts';

let folder: string;
let path: string;
const running: ApiServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-socket-'));
  path = join(folder, 'api.sock');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<ApiServer> {
  const app = createApp({ node: fakeNode(), options: {} });
  const server = await serve({ app, host: `unix:${path}`, port: 0 });
  running.push(server);
  return server;
}

function ask(headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const options = { socketPath: path, path: '/api/v1/tokens', headers };
    request(options, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    })
      .on('error', reject)
      .end();
  });
}

/** A socket whose process died without taking it away. */
async function leaveSocket(): Promise<void> {
  const server: Server = createServer().listen(join(folder, 'living'));
  await new Promise((resolve) => server.once('listening', resolve));
  linkSync(join(folder, 'living'), path);
  await new Promise((resolve) => server.close(resolve));
}

describe('the API on a Unix socket', () => {
  it('answers there and nowhere else, and takes the socket away at its end', async () => {
    const server = await start();
    expect([server.url, server.port]).toEqual([`unix:${path}`, 0]);
    expect(await ask()).toEqual({ status: 200, body: [TOKEN] });
    await server.close();
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('is for its owner alone', async () => {
    await start();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('refuses a call under a foreign host name, as a page could make it', async () => {
    await start();
    expect((await ask({ host: 'evil.example' })).status).toBe(403);
  });

  it('replaces the socket of a process that died', async () => {
    await leaveSocket();
    await start();
    expect((await ask()).status).toBe(200);
  });

  it('does not start on the socket of a process that lives', async () => {
    await start();
    await expect(start()).rejects.toThrow('taken');
    expect((await ask()).status).toBe(200);
  });

  it('touches no file that is no socket', async () => {
    writeFileSync(path, 'precious');
    const refused = await start().catch((error: unknown) => error);
    expect(listenProblem(refused, `unix:${path}`, 0)).toBe(
      `${path} is taken by another program, or is no socket: choose another --api-address`,
    );
    expect(statSync(path).size).toBe(8);
  });

  it('says what to do when its folder is missing', async () => {
    path = join(folder, 'none', 'api.sock');
    const refused = await start().catch((error: unknown) => error);
    expect(listenProblem(refused, `unix:${path}`, 0)).toContain('its folder is missing');
  });
});

describe('the doctor', () => {
  const check = async () => {
    const findings = await checkApi({ host: `unix:${path}`, port: 0, token: null, address: null });
    return findings.map(({ verdict, found }) => [verdict, found]);
  };

  it('finds a socket that is free, used, or no socket', async () => {
    expect(await check()).toEqual([['ok', `${path} is free`]]);
    await start();
    expect(await check()).toEqual([['ok', `somebody answers at ${path}`]]);
    path = join(folder, 'file');
    writeFileSync(path, '');
    expect(await check()).toEqual([['failed', `${path} is no socket`]]);
    path = join(folder, 'none', 'api.sock');
    expect(await check()).toEqual([['failed', `there is no folder ${join(folder, 'none')}`]]);
  });
});

describe('a node', () => {
  it('serves a socket, also after it was killed there', async () => {
    const world = await startWorld();
    try {
      const options = { 'api-address': `unix:${path}` };
      const first = await world.start('alice', { options });
      expect(first.output).toContain(`ready: ${first.address} unix:${path}`);
      await first.kill();
      expect(statSync(path).isSocket()).toBe(true);
      await world.start('alice', { options });
      expect(await ask()).toEqual({ status: 200, body: [world.token] });
    } finally {
      await world.stop();
    }
  });
});
