import { expect, it } from 'vitest';
import { createSnapshots } from '../../../src/replica/snapshots.ts';
import type { RecordStream } from '../../../src/replica/stream.ts';
import { schemaVersion } from '../../../src/store/base/migrate.ts';
import { memoryStream } from '../../support/record-stream.ts';
import { createMachine, type Machine } from '../../support/replicated-store.ts';
import { until } from '../../support/until.ts';

/** A process that owns the stream, and looks whether that needs a copy of its database when it is told to. */
async function begin(stream: RecordStream, machine: Machine, isNeeded: boolean) {
  const { writer, kill } = await machine.open();
  let look = () => {};
  const copies: unknown[] = [];
  const bases = createSnapshots({
    writer,
    stream,
    owner: { host: 'a', pid: 1, time: 0, version: '1', schema: schemaVersion().toString() },
    file: machine.path,
    clock: {
      now: () => 0,
      elapsed: () => 0,
      every(_ms, work) {
        look = work;
        return () => {};
      },
    },
    log: { info: (facts) => void copies.push(facts), warn() {}, error() {} },
    isNeeded,
  });
  bases.start();
  const write = async (records: number) => {
    const sent = Array.from({ length: records }, () => writer.send('piece', new Uint8Array(100)));
    await Promise.all(sent);
  };
  return { copies, write, kill, look: () => look() };
}

it('counts what earlier processes have written since the newest copy, so that nobody reads it all for ever', async () => {
  const { stream } = memoryStream();
  const machine = createMachine(stream, 'first');
  const first = await begin(stream, machine, true);
  await until(() => first.copies.length === 1, 'the first copy is in the stream');
  await first.write(15_000);
  first.kill();
  const second = await begin(stream, machine, false);
  await second.write(6_000);
  await until(() => {
    second.look();
    return second.copies.length > 0;
  }, 'the second copy is in the stream');
  second.kill();
  machine.remove();
  expect(second.copies).toEqual([{ bytes: expect.any(Number) }]);
});
