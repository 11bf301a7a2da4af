import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { encodePosition } from '../../../src/replica/position.ts';
import { NO_LINK, sealRecord } from '../../../src/replica/record.ts';
import { openStore } from '../../../src/store/open.ts';
import { memoryStream } from '../../support/record-stream.ts';
import { createMachine, KEYS, type Machine, put } from '../../support/replicated-store.ts';

const machines: Machine[] = [];
afterEach(() => {
  for (const machine of machines.splice(0)) machine.remove();
});

function machineOn({ stream }: ReturnType<typeof memoryStream>, name = 'first'): Machine {
  const machine = createMachine(stream, name);
  machines.push(machine);
  return machine;
}

/** A stream with a node's epoch and one commit, and the machine that made it and is dead by now. */
async function begun() {
  const memory = memoryStream();
  const machine = machineOn(memory);
  const node = await machine.open();
  await put(node.store, 'a');
  node.kill();
  return { memory, machine };
}

describe('a node that begins with a stream', () => {
  it('takes an empty one as its first owner, and says that a copy of the database is missing', async () => {
    const memory = memoryStream();
    expect(await machineOn(memory).own()).toMatchObject({ ok: true, epoch: 1, needsBase: true });
    expect(memory.records).toHaveLength(1);
  });

  it('takes its own again after its process died, with a new epoch and no new copy', async () => {
    const { machine } = await begun();
    expect(await machine.own()).toMatchObject({ ok: true, epoch: 2, needsBase: false });
    expect(await machine.own()).toMatchObject({ ok: true, epoch: 3 });
    expect(machine.actors()).toEqual(['a']);
  });

  it('reads from the stream what its disk has lost', async () => {
    const { memory, machine } = await begun();
    const earlier = readFileSync(machine.path);
    const node = await machine.open();
    await put(node.store, 'b');
    node.kill();
    writeFileSync(machine.path, earlier);
    expect(machine.actors()).toEqual(['a']);
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'taken_over' });
    expect(machine.actors()).toEqual(['a', 'b']);
    expect(memory.records).toHaveLength(4);
  });

  it('takes its own again when the newest commits never arrived, and sends them again', async () => {
    const { memory, machine } = await begun();
    const node = await machine.open();
    memory.goAway();
    void put(node.store, 'b');
    node.kill();
    memory.comeBack();
    expect(await machine.own()).toMatchObject({ ok: true, needsBase: false, hasGap: false });
    expect(machine.actors()).toEqual(['a', 'b']);
    // Two epochs and a commit before, then the commit that never arrived, and the third epoch.
    expect(memory.records).toHaveLength(5);
  });

  it('sends a copy first when more never arrived than it has noted', async () => {
    const { memory, machine } = await begun();
    const node = await machine.open();
    memory.goAway();
    // A record of what repeats itself would be small.
    const text = () => randomBytes(9_000).toString('hex');
    for (let commits = 0; commits < 100; commits++) void put(node.store, text());
    node.kill();
    memory.comeBack();
    expect(await machine.own()).toMatchObject({ ok: true, epoch: 3, hasGap: true });
  });

  it('knows its own epoch again when it died before anything else was written', async () => {
    const { memory, machine } = await begun();
    memory.loseAnswers(true);
    expect(await machine.own()).toMatchObject({ ok: true, epoch: 2 });
    memory.loseAnswers(false);
    expect(await machine.own()).toMatchObject({ ok: true, epoch: 3 });
  });

  it('is refused a stream that another node has taken since, and is told which', async () => {
    const { memory, machine } = await begun();
    const epoch = { kind: 'epoch', epoch: 2, sequence: 3, link: linkOf(memory.records) } as const;
    const owner = { host: 'second', pid: 9, time: 0, version: '1', schema: '1' };
    memory.records.push(sealRecord(KEYS, epoch, Buffer.from(JSON.stringify(owner))).bytes);
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'taken_over', owner });
    // It has read the other's records by then, and only follows from now on.
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'taken_over' });
    expect(await machine.own(1)).toMatchObject({ ok: true, epoch: 3 });
  });

  it('takes over from the epoch that it was to take over from, not from a later one', async () => {
    const { memory, machine } = await begun();
    const epoch = { kind: 'epoch', epoch: 2, sequence: 3, link: linkOf(memory.records) } as const;
    const owner = { host: 'second', pid: 9, time: 0, version: '1', schema: '1' };
    memory.records.push(sealRecord(KEYS, epoch, Buffer.from(JSON.stringify(owner))).bytes);
    expect(await machine.own(1)).toMatchObject({ ok: false, problem: 'taken_over' });
    expect(await machine.own(2)).toMatchObject({ ok: true, epoch: 3 });
  });

  it('is refused a stream that was put back before a record that it knew to be in it', async () => {
    const memory = memoryStream();
    const machine = machineOn(memory);
    const node = await machine.open();
    await put(node.store, 'a');
    // With this commit, the node notes that the stream has the first one.
    await put(node.store, 'b');
    node.kill();
    memory.records.length = 1;
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'behind' });
    memory.records.length = 0;
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'behind' });
  });

  it('is refused a stream of which a record was exchanged', async () => {
    const { memory, machine } = await begun();
    memory.records[1] = Buffer.from('forged');
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'broken' });
  });

  it('is refused a stream to which somebody without the key has added a record', async () => {
    const { memory, machine } = await begun();
    memory.records.push(Buffer.from('forged'));
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'broken' });
  });

  it('is refused the stream of another database', async () => {
    const { memory } = await begun();
    expect(await machineOn(memory, 'other').own()).toMatchObject({ ok: false, problem: 'foreign' });
  });

  it('is refused a stream that has forgotten what its database lacks', async () => {
    const { memory, machine } = await begun();
    const link = linkOf(memory.records);
    const pulse = { kind: 'pulse', epoch: 1, sequence: 3, link } as const;
    const one = sealRecord(KEYS, pulse, new Uint8Array(0));
    const next = { kind: 'pulse', epoch: 1, sequence: 4, link: one.tag } as const;
    memory.records.push(one.bytes, sealRecord(KEYS, next, new Uint8Array(0)).bytes);
    await memory.stream.purge(4);
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'forgotten' });
  });

  it('cannot begin while the stream is away, and leaves the database as it was', async () => {
    const { memory, machine } = await begun();
    memory.goAway();
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'away' });
    memory.comeBack();
    expect(await machine.own()).toMatchObject({ ok: true, epoch: 2 });
  });
});

/** A follower of a node that lives, whose database has a commit of that node, and what both are. */
async function followed() {
  const memory = memoryStream();
  const owner = await machineOn(memory).open();
  await put(owner.store, 'a');
  const second = machineOn(memory, 'second');
  const replay = second.replayed();
  const at = { sequence: 0, tag: Buffer.from(NO_LINK).toString('hex') };
  const place = { at, acknowledged: at, epoch: 0, isOwner: false, onTheWay: [] };
  replay.apply({ writes: [], from: null, to: encodePosition(place) });
  replay.close();
  return { memory, owner, second };
}

describe('a node that takes over from one that goes on writing', () => {
  it('is overtaken as often as that one writes, and takes the stream in the end', async () => {
    const { memory, owner, second } = await followed();
    let overtaken = 0;
    memory.beforeAppend(async (track) => {
      if (track === 'epoch' && overtaken < 5) await put(owner.store, `b${++overtaken}`);
    });
    expect(await second.own(1)).toMatchObject({ ok: true, epoch: 2 });
    owner.kill();
    expect(second.actors()).toEqual(['a', 'b1', 'b2', 'b3', 'b4', 'b5']);
  });

  it('asks it to wait as soon as it was overtaken, and needs one more try then', async () => {
    const { memory, owner, second } = await followed();
    let isQuiet = false;
    let tries = 0;
    memory.beforeAppend(async (track) => {
      if (track !== 'epoch') return;
      tries += 1;
      if (!isQuiet) await put(owner.store);
    });
    const asked: number[] = [];
    const quieten = async (epoch: number) => {
      asked.push(epoch);
      isQuiet = true;
      return () => {
        isQuiet = false;
      };
    };
    expect(await second.own(1, quieten)).toMatchObject({ ok: true, epoch: 2 });
    expect({ asked, tries }).toEqual({ asked: [1], tries: 2 });
    owner.kill();
  });

  it('can begin again after it died just before it took the stream', async () => {
    const { memory, owner, second } = await followed();
    memory.beforeAppend(async (track) => {
      if (track === 'epoch') throw new Error('it dies here');
    });
    expect(await second.own(1)).toMatchObject({ ok: false, problem: 'away' });
    memory.beforeAppend(null);
    await put(owner.store, 'b');
    owner.kill();
    expect(await second.own(1)).toMatchObject({ ok: true, epoch: 2 });
    expect(second.actors()).toEqual(['a', 'b']);
  });

  it('knows its own epoch again when it arrived after it had died', async () => {
    const { memory, owner, second } = await followed();
    owner.kill();
    memory.loseAnswers(true);
    memory.beforeAppend(async () => {
      memory.beforeRead(async () => {
        throw new Error('it dies here');
      });
    });
    expect(await second.own(1)).toMatchObject({ ok: false, problem: 'away' });
    memory.loseAnswers(false);
    memory.beforeAppend(null);
    memory.beforeRead(null);
    expect(await second.own(1)).toMatchObject({ ok: true, epoch: 3 });
  });
});

describe('an owner whose stream was lost', () => {
  it('begins the empty one that was put in its place, if the operator says so, in a later epoch', async () => {
    const { memory, machine } = await begun();
    memory.records.length = 0;
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'behind' });
    expect(await machine.own(null, null, true)).toMatchObject({
      ok: true,
      epoch: 2,
      needsBase: true,
    });
    expect(machine.actors()).toEqual(['a']);
    expect(await machine.own()).toMatchObject({ ok: true, epoch: 3 });
  });

  it('begins it after it died just before', async () => {
    const { memory, machine } = await begun();
    memory.records.length = 0;
    memory.beforeAppend(async () => {
      throw new Error('it dies here');
    });
    expect(await machine.own(null, null, true)).toMatchObject({ ok: false, problem: 'away' });
    memory.beforeAppend(null);
    expect(await machine.own()).toMatchObject({ ok: true, epoch: 2, needsBase: true });
  });

  it('does not begin one that is only shorter', async () => {
    const { memory, machine } = await begun();
    const node = await machine.open();
    await put(node.store, 'b');
    await put(node.store, 'c');
    node.kill();
    memory.records.length = 1;
    expect(await machine.own(null, null, true)).toMatchObject({ ok: false, problem: 'behind' });
  });

  it('is no owner any more when another machine has begun it anew', async () => {
    const { memory, owner, second } = await followed();
    await put(owner.store, 'b');
    owner.kill();
    const first = machines[0];
    expect(await second.own(1)).toMatchObject({ ok: true, epoch: 2 });
    memory.records.length = 0;
    expect(await second.own(null, null, true)).toMatchObject({ ok: true, epoch: 3 });
    expect(await first?.own()).toMatchObject({ ok: false, problem: 'diverged' });
  });

  it('is no owner any more when it died before it began, and another machine did', async () => {
    const { memory, owner, second } = await followed();
    owner.kill();
    const first = machines[0];
    memory.records.length = 0;
    memory.beforeAppend(async () => {
      throw new Error('it dies here');
    });
    expect(await first?.own(null, null, true)).toMatchObject({ ok: false, problem: 'away' });
    memory.beforeAppend(null);
    expect(await machineOn(memory, 'third').own()).toMatchObject({ ok: true });
    expect(await first?.own()).toMatchObject({ ok: false, problem: 'diverged' });
    expect(await first?.own(1)).toMatchObject({ ok: false, problem: 'diverged' });
    expect(second.actors()).toEqual([]);
  });
});

describe('an owner that has to catch up', () => {
  it('can begin again after it died just before it took its stream', async () => {
    const { memory, machine } = await begun();
    const node = await machine.open();
    await put(node.store, 'b');
    const earlier = readFileSync(machine.path);
    await put(node.store, 'c');
    node.kill();
    writeFileSync(machine.path, earlier);
    for (const suffix of ['-wal', '-shm']) rmSync(machine.path + suffix, { force: true });
    memory.beforeAppend(async () => {
      throw new Error('it dies here');
    });
    expect(await machine.own()).toMatchObject({ ok: false, problem: 'away' });
    memory.beforeAppend(null);
    expect(await machine.own()).toMatchObject({ ok: true });
    expect(machine.actors()).toEqual(['a', 'b', 'c']);
  });

  it('does not call a stream away when its own database is at fault', async () => {
    const { memory, owner, second } = await followed();
    const opened = openStore({ url: `file:${second.path}`, stamp: second.stamp });
    if (!opened.ok) throw new Error(opened.message);
    await put(opened.store, 'a');
    opened.store.close();
    expect(await second.own(1)).toMatchObject({ ok: false, problem: 'unfit' });
    expect(memory.records).toHaveLength(2);
    owner.kill();
  });
});

describe('a database that follows', () => {
  it('refuses what does not continue the place that it notes', async () => {
    const { second } = await followed();
    const replay = second.replayed();
    const noted = replay.place();
    const move = { writes: [], from: 'another place', to: 'a later one' };
    expect(() => replay.apply(move)).toThrow('another place');
    expect(replay.place()).toBe(noted);
    replay.close();
  });
});

describe('a node whose stream was taken while it ran', () => {
  it('performs nothing of what it could not write, and can write nothing more', async () => {
    const memory = memoryStream();
    const node = await machineOn(memory).open();
    await put(node.store, 'a');
    memory.records.push(Buffer.from('of another node'));
    let isPerformed = false;
    void put(node.store, 'b').then(() => {
      isPerformed = true;
    });
    await expect.poll(() => node.taken).toEqual([2]);
    expect(() => put(node.store, 'c')).toThrow('somebody else owns the stream');
    expect(isPerformed).toBe(false);
    node.kill();
  });
});

/** The tag of the newest record: what the next one names. */
function linkOf(records: readonly Uint8Array[]): Uint8Array {
  return records.at(-1)?.subarray(-NO_LINK.length) ?? NO_LINK;
}
