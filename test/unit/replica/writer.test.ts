import { describe, expect, it } from 'vitest';
import { createRecordWriter, type ReplicaMode } from '../../../src/replica/writer.ts';
import { memoryStream } from '../../support/record-stream.ts';
import { KEYS } from '../../support/replicated-store.ts';
import { until } from '../../support/until.ts';

const START = { sequence: 0, tag: '0'.repeat(32) };
const clock = {
  now: () => 0,
  elapsed: () => 0,
  every(_ms: number, work: () => void) {
    const timer = setInterval(work, 1);
    return () => clearInterval(timer);
  },
};

/** A writer that keeps 400 bytes at most without waiting for the stream. */
function writerOf(mode: ReplicaMode) {
  const memory = memoryStream();
  const { replica, send, close } = createRecordWriter({
    stream: memory.stream,
    keys: KEYS,
    epoch: 1,
    start: START,
    mode,
    clock,
    onTaken() {},
    onTrouble() {},
    mostUnsentBytes: 400,
  });
  const done: string[] = [];
  const commit = (name: string) => {
    replica.seal([{ sql: 'DELETE FROM meta WHERE key = ?', params: ['x'.repeat(50)] }]);
    replica.committed();
    replica.whenAcknowledged(() => void done.push(name));
  };
  return { memory, commit, done, isWaitedFor: replica.isWaitedFor, send, close };
}

describe('what follows from a commit', () => {
  it('waits for the stream in the mode sync', async () => {
    const { commit, done, close } = writerOf('sync');
    commit('a');
    expect(done).toEqual([]);
    await until(() => done.length === 1, 'the stream has it');
    close();
  });

  it('waits for nothing in the mode async, until too much is kept in memory', async () => {
    const { memory, commit, done, isWaitedFor, close } = writerOf('async');
    memory.goAway();
    commit('a');
    expect(done).toEqual(['a']);
    expect(isWaitedFor()).toBe(false);
    commit('b');
    commit('c');
    expect(isWaitedFor()).toBe(true);
    expect(done).not.toContain('c');
    const before = done.length;
    memory.comeBack();
    await until(() => !isWaitedFor() && done.length > before, 'the stream has what it lacked');
    commit('d');
    await until(() => done.length === 4, 'everybody hears');
    expect(done).toEqual(['a', 'b', 'c', 'd']);
    close();
  });

  it('does not wait for a copy of the database in the mode async', () => {
    const { memory, commit, done, send, close } = writerOf('async');
    memory.goAway();
    void send('piece', new Uint8Array(10));
    commit('a');
    expect(done).toEqual(['a']);
    close();
  });
});
