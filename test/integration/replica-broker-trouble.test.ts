/** A broker that keeps a stream and hangs, or has no room left: whoever writes into it knows within three seconds. */
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../src/host/base/system.ts';
import { STREAM_ORIGIN } from '../../src/replica/find-end.ts';
import { connectJetStream, createStream } from '../../src/replica/jetstream.ts';
import { createRecordWriter } from '../../src/replica/writer.ts';
import { type NatsServer, startNats } from '../support/nats.ts';
import { KEYS } from '../support/replicated-store.ts';
import { canMount, needsMount, type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const NOTICED_MS = 3_000;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A node that has written one record into the stream of a broker with so much room, and since when and why it is away. */
async function writing(megabytes: number) {
  const disk: SmallDisk = smallDisk(megabytes * 1_048_576);
  ends.push(disk.end);
  const broker: NatsServer = await startNats({ args: ['--jetstream', '--store_dir', disk.folder] });
  ends.push(broker.stop);
  const options = { url: broker.url, name: 'node', inbox: 'node', report() {} };
  expect(await createStream({ ...options, replicas: 1 })).toEqual({ ok: true });
  const stream = connectJetStream(options);
  ends.push(stream.close);
  await stream.bounds();
  const noticed: { at: number; why: string }[] = [];
  const writer = createRecordWriter({
    stream,
    keys: KEYS,
    epoch: 1,
    start: STREAM_ORIGIN,
    mode: 'sync',
    clock: systemClock,
    onTaken() {},
    onTrouble(why) {
      if (why !== null) noticed.push({ at: performance.now(), why });
    },
  });
  ends.push(writer.close);
  await writer.send('piece', new Uint8Array(1));
  return { broker, writer, noticed };
}

it.skipIf(!canMount)(
  `a broker that hangs is noticed by a node at rest${needsMount}`,
  async () => {
    const { broker, noticed } = await writing(64);
    const begin = performance.now();
    process.kill(broker.pid, 'SIGSTOP');
    ends.push(() => process.kill(broker.pid, 'SIGCONT'));
    await until(() => noticed.length > 0, 'it is noticed');
    expect((noticed[0]?.at ?? 0) - begin).toBeLessThan(NOTICED_MS);
  },
  30_000,
);

it.skipIf(!canMount)(
  `a broker with a full disk is noticed, and named${needsMount}`,
  async () => {
    const { writer, noticed } = await writing(6);
    let sentAt = performance.now();
    for (let pieces = 0; pieces < 100 && noticed.length === 0; pieces++) {
      sentAt = performance.now();
      const isOver = writer.send('piece', new Uint8Array(100_000)).then(() => true);
      await Promise.race([isOver, until(() => noticed.length > 0, 'it is noticed')]);
    }
    expect(noticed[0]?.why).toContain('Its disk is full');
    expect((noticed[0]?.at ?? 0) - sentAt).toBeLessThan(NOTICED_MS);
  },
  60_000,
);
