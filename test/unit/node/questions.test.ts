import { describe, expect, it } from 'vitest';
import { createQuestions } from '../../../src/node/runtime/commits/questions.ts';

const value = { kind: 'channel', channel: 'c' } as const;

describe('questions', () => {
  it('are answered under their name, to everybody who waits for it', async () => {
    const questions = createQuestions('one');
    const name = questions.nextId();
    const both = [questions.wait(name), questions.wait(name)];
    questions.answer({ type: 'reply.ok', requestId: name, value });
    expect(await Promise.all(both)).toEqual([
      { ok: true, value },
      { ok: true, value },
    ]);
  });

  it('take the kind of answer that was asked for, and no other', async () => {
    const questions = createQuestions('one');
    const asked = [questions.wait('a', 'channel'), questions.wait('a', 'payment')];
    questions.answer({ type: 'reply.ok', requestId: 'a', value });
    const [right, wrong] = await Promise.allSettled(asked);
    expect(right).toMatchObject({ status: 'fulfilled', value: { ok: true, value } });
    expect(wrong).toMatchObject({ status: 'rejected' });
  });

  it('of one process never take the answer to a question of the process before', () => {
    const [before, after] = [createQuestions('one'), createQuestions('two')];
    const names = [before.nextId(), before.nextId(), after.nextId(), after.nextId()];
    expect(new Set(names).size).toBe(4);
  });
});
