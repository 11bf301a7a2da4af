import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { NO_LINK, sealRecord } from '../../../src/replica/record.ts';
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
    for (let commits = 0; commits < 100; commits++) void put(node.store, 'b'.repeat(9_000));
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
