import { afterEach, describe, expect, it, vi } from 'vitest';
import { inSlices } from '../../../src/inspector/backends.ts';
import { createInspector } from '../../../src/inspector/inspector.ts';
import type { StartBackend } from '../../../src/inspector/supervisor.ts';
import { until } from '../../support/until.ts';
import { fakeInspection, fakeJournal } from './fake-inspection.ts';
import { listen, plainTools } from './telling.ts';

/** A teller that a test can kill, silence and count. */
function mortal() {
  const journal = fakeJournal();
  const inner = inSlices(journal, plainTools);
  let started = 0;
  let running = 0;
  let die = () => {};
  let isSilent = false;
  const start: StartBackend = ({ onReply, onEnd }) => {
    started += 1;
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
    ...{ inspection: fakeInspection({ journal }), start },
    onFailure: (error) => failures.push(String(error)),
  });
  return {
    ...{ journal, inspector, failures },
    counts: () => ({ started, running }),
    die: () => die(),
    silence: () => {
      isSilent = true;
    },
  };
}

afterEach(() => void vi.useRealTimers());

describe('what tells the journal', () => {
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

  it('is asked for a history in vain when it dies over it', async () => {
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
