import { afterEach, describe, expect, it } from 'vitest';
import { createStandby } from '../../../src/replica/standby.ts';
import type { RecordStream } from '../../../src/replica/stream.ts';
import { schemaVersion } from '../../../src/store/base/migrate.ts';
import type { Replay } from '../../../src/store/durability/replay.ts';
import { memoryStream } from '../../support/record-stream.ts';
import { createMachine, KEYS, type Machine, put } from '../../support/replicated-store.ts';
import { until } from '../../support/until.ts';

const machines: Machine[] = [];
afterEach(() => {
  for (const machine of machines.splice(0)) machine.remove();
});

/** A clock that a test moves, with timers that come all the time. */
function movedClock() {
  let time = 0;
  return {
    pass: (ms: number) => {
      time += ms;
    },
    now: () => time,
    elapsed: () => time,
    every(_ms: number, work: () => void) {
      const timer = setInterval(work, 1);
      return () => clearInterval(timer);
    },
  };
}

/** A standby that never takes over by itself. */
const following = (stream: RecordStream, replay: Replay) => ({
  stream,
  keys: KEYS,
  replay,
  schema: schemaVersion().toString(),
  takeoverAfterMs: null,
  clock: movedClock(),
  order: new AbortController().signal,
  stop: new AbortController().signal,
  onTrouble() {},
});

/** A reader that waits for ever at its first record, as of a server that has stopped to hear of new ones. */
function stuckOnce(stream: RecordStream) {
  let readers = 0;
  const stuck: RecordStream = {
    ...stream,
    async *follow(from, stop) {
      readers += 1;
      if (readers === 1) await new Promise((resolve) => stop.addEventListener('abort', resolve));
      else yield* stream.follow(from, stop);
    },
  };
  return { stuck, readers: () => readers };
}

/** The stream of a node that died after a commit, and its database. */
async function afterCommit() {
  const memory = memoryStream();
  const machine = createMachine(memory.stream, 'first');
  machines.push(machine);
  const node = await machine.open();
  await put(node.store, 'a');
  node.kill();
  return { memory, node, replay: machine.replayed() };
}

describe('a standby', () => {
  it('takes the place of an owner that has written nothing since it follows', async () => {
    const { memory, node, replay } = await afterCommit();
    const standby = createStandby({
      ...following(memory.stream, replay),
      order: AbortSignal.abort(),
    });
    expect(await standby.run()).toMatchObject({ type: 'due', takesFrom: node.epoch });
    replay.close();
  });

  it('leaves a server that shows nothing new although there is more', async () => {
    const { memory, replay } = await afterCommit();
    const { stuck, readers } = stuckOnce(memory.stream);
    const clock = movedClock();
    const stop = new AbortController();
    const bounds = async () => ({
      first: 1,
      last: memory.records.length + 1,
      bytes: 0,
      madeAt: '0',
    });
    const standby = createStandby({
      ...following({ ...stuck, bounds }, replay),
      clock,
      stop: stop.signal,
    });
    const ended = standby.run();
    clock.pass(3_000);
    await until(() => readers() > 1, 'another reader');
    stop.abort();
    expect(await ended).toEqual({ type: 'stopped' });
    replay.close();
  });
});
