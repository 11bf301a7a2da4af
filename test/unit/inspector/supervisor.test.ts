import { afterEach, describe, expect, it, vi } from 'vitest';
import { createInspector } from '../../../src/inspector/inspector.ts';
import { workerInSlices } from '../../../src/inspector/stream/start.ts';
import type { StartWorker } from '../../../src/inspector/stream/supervisor.ts';
import { until } from '../../support/until.ts';
import { listen, plainTools } from './connect.ts';
import { fakeInspection, fakeJournal } from './fake-inspection.ts';

/** A worker that a test can kill, silence and count. */
function mortal() {
  const journal = fakeJournal();
  const inner = workerInSlices(journal, plainTools);
  let started = 0;
  let running = 0;
  let die = () => {};
  let isSilent = false;
  let canStart = true;
  const start: StartWorker = ({ onReply, onEnd }) => {
    started += 1;
    if (!canStart) throw new Error('no thread can be made');
    running += 1;
    isSilent = false;
    die = () => onEnd('killed');
    const { post, end } = inner({ onReply: (reply) => isSilent || onReply(reply), onEnd });
    return {
      post,
      async end() {
        running -= 1;
        await end();
      },
    };
  };
  const failures: string[] = [];
  const inspector = createInspector({
    inspection: fakeInspection({ journal }),
    start,
    onFailure: (error) => failures.push(String(error)),
  });
  return {
    journal,
    inspector,
    failures,
    counts: () => ({ started, running }),
    die: () => die(),
    silence: () => {
      isSilent = true;
    },
    forbid: () => {
      canStart = false;
    },
    allow: () => {
      canStart = true;
    },
  };
}

afterEach(() => void vi.useRealTimers());

describe('the worker that reads the journal', () => {
  it('is started by the first reader, not before', async () => {
    const node = mortal();
    node.journal.commit('channel:1');
    expect(node.counts().started).toBe(0);
    await listen(node, { id: 0 });
    expect(node.counts()).toEqual({ started: 1, running: 1 });
    await node.inspector.end();
    expect(node.counts().running).toBe(0);
  });

  it('is started again when it dies, and its readers get a gap and go on', async () => {
    const node = mortal();
    const client = await listen(node);
    node.journal.commit('channel:1');
    await client.heard(1);
    node.die();
    node.journal.commit('channel:1', 'channel:1');
    await client.heard(2);
    expect(client.steps[1]).toMatchObject([{ kind: 'gap', first: 2, seq: 3, reason: 'slow' }]);
    node.journal.commit('channel:1');
    expect(await client.heard(3)).toEqual([1, 3, 4]);
    expect(node.failures).toEqual([expect.stringContaining('was lost: killed')]);
    await node.inspector.end();
  });

  it('does no harm when it cannot be started again, and is tried until it can', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const node = mortal();
    const client = await listen(node);
    node.forbid();
    node.die();
    // What a timer throws would end the process of the node.
    await vi.advanceTimersByTimeAsync(2_000);
    expect(node.failures.at(-1)).toContain('no thread can be made');
    node.allow();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(node.counts().running).toBe(1);
    vi.useRealTimers();
    node.journal.commit('channel:1');
    expect(await client.heard(1)).toEqual([1]);
    await node.inspector.end();
  });

  it('leaves its first reader with a 503 when it cannot be started', async () => {
    const node = mortal();
    node.forbid();
    const asked = node.inspector.handle(new Request('http://node/inspector/actors/a/history'));
    expect((await asked).status).toBe(503);
    await node.inspector.end();
  });

  it('is not started again when no question is left after it could not be started', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const node = mortal();
    node.forbid();
    const ask = () => node.inspector.handle(new Request('http://node/inspector/actors/a/history'));
    expect([(await ask()).status, (await ask()).status]).toEqual([503, 503]);
    node.allow();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(node.counts()).toEqual({ started: 1, running: 0 });
    await node.inspector.end();
  });

  it('leaves the reader of a history with a 503 when it dies over it', async () => {
    const node = mortal();
    await listen(node);
    node.silence();
    const asked = node.inspector.handle(new Request('http://node/inspector/actors/a/history'));
    node.die();
    const answer = await asked;
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.json()).toEqual({ errors: expect.stringContaining('try again') });
    await node.inspector.end();
  });

  it('is asked for so many histories at a time and no more', async () => {
    const node = mortal();
    await listen(node);
    node.silence();
    const ask = () => node.inspector.handle(new Request('http://node/inspector/actors/a/history'));
    const waiting = Array.from({ length: 32 }, ask);
    expect((await ask()).status).toBe(503);
    await node.inspector.end();
    expect(await Promise.all(waiting)).toHaveLength(32);
  });

  it('is replaced when it hangs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
    const node = mortal();
    const client = await listen(node);
    node.journal.commit('channel:1');
    await client.heard(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(node.counts().started).toBe(1);
    node.silence();
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    await until(() => node.counts().started === 2, 'another');
    expect(node.failures).toEqual([expect.stringContaining('does not answer')]);
    await node.inspector.end();
    expect(node.counts().running).toBe(0);
  });

  it('is ended when nobody has needed it for a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const node = mortal();
    const first = await listen(node);
    await first.leave();
    await vi.advanceTimersByTimeAsync(20_000);
    const second = await listen(node);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(node.counts()).toEqual({ started: 1, running: 1 });
    await second.leave();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(node.counts()).toEqual({ started: 1, running: 0 });
    await listen(node);
    expect(node.counts()).toEqual({ started: 2, running: 1 });
    await node.inspector.end();
  });
});
