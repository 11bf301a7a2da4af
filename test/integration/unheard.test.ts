/** A node goes on and can be ended, whatever becomes of what it says on its terminal. */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

let world: World;
let pipe: string;
/** Of this process, so that the pipe has a reader. */
let reader: number;

beforeAll(async () => {
  world = await startWorld();
  pipe = join(world.folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(reader, 'x'.repeat(1_024));
  } catch {
    // It is full, and nobody reads it.
  }
});
afterAll(async () => {
  closeSync(reader);
  await world?.stop();
});

it.each<[string, () => string]>([
  ['a full disk', () => '> /dev/full 2>&1'],
  ['a standard output that is full', () => '> /dev/full'],
  ['a reader that has gone', () => '> >(exec true) 2>&1'],
  ['a reader that has stopped', () => `> ${pipe} 2>&1`],
])(
  'to %s',
  async (_, output) => {
    const node = await world.launch('alice', { output: output() });
    const isReady = async () => (await node.api.status().catch(() => null)) === 'ready';
    await world.whileMining(until(isReady, 'the node takes calls', 30_000));
    await node.stop();
    expect(await node.ended).toMatchObject({ code: 0 });
  },
  60_000,
);
