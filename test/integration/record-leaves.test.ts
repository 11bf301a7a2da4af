/** A record of the stream, and the disk for which its process stands still. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectJetStream, createStream } from '../../src/replica/jetstream.ts';
import { type NatsServer, startNats } from '../support/nats.ts';

/** Prints how many messages the stream has, as soon as it has those that it should. */
const LOOK = `
  const { connect } = require('nats');
  const [servers, name, wanted] = process.argv.slice(1);
  (async () => {
    const connection = await connect({ servers });
    const { streams } = await connection.jetstreamManager();
    for (let tries = 0; tries < 100; tries++) {
      const { state } = await streams.info(name);
      if (state.messages >= Number(wanted) || tries === 99) {
        console.log(state.messages);
        break;
      }
    }
    await connection.close();
  })();
`;

const folder = mkdtempSync(join(tmpdir(), 'sluice-stream-'));
let broker: NatsServer;

beforeAll(async () => {
  broker = await startNats({ args: ['--jetstream', '--store_dir', folder] });
});
afterAll(async () => {
  await broker.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('is with the broker while the process still waits for its disk', async () => {
  const login = { name: 'quick', url: broker.url, inbox: 'node', report() {} };
  expect(await createStream({ ...login, replicas: 1 })).toEqual({ ok: true });
  const stream = connectJetStream(login);
  expect(await stream.bounds()).toMatchObject({ last: 0 });
  const appended = stream.append(new Uint8Array(10_000), 1, 'log');
  // Nothing of this process goes on before the other one has ended: it has to see the opening message and the record.
  const seen = execFileSync(process.execPath, ['-e', LOOK, broker.url, 'quick', '2'], {
    encoding: 'utf8',
  });
  expect(seen.trim()).toBe('2');
  await appended;
  await stream.close();
});
