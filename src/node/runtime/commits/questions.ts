/** Callers that wait for an answer. A caller does not outlive the process, so nothing of this is on disk. */
import type { ReplyKind, ReplyOf, ReplyValue } from '../../../../machines/effects.ts';
import type { Failure, Result } from '../../../protocol/codes.ts';
import type { AnswerEffect } from './open-batch.ts';

export type Questions = ReturnType<typeof createQuestions>;

type Caller = { resolve(answer: Result<ReplyValue>): void; reject(error: unknown): void };

const NOBODY_ANSWERS: Failure = { ok: false, code: 'shutting_down', outcome: 'pending' };

/**
 * `process`: a text that no earlier process used, because an actor may answer after the process that asked has ended.
 */
export function createQuestions(process: string) {
  const waiting = new Map<string, Caller[]>();
  let count = 0;
  let hasEnded = false;

  return {
    /** A new id for the request of a caller that waits. */
    nextId: () => `request:${process}:${++count}`,
    /**
     * Resolves when the actor answers under this id; several callers may wait for the same one. `kind`: of the answer to
     * what was asked; rejects when it is another, which is a bug. Absent: any.
     */
    wait: <K extends ReplyKind = ReplyKind>(
      requestId: string,
      kind?: K,
    ): Promise<Result<ReplyOf<K>>> =>
      new Promise((resolve, reject) => {
        if (hasEnded) return resolve(NOBODY_ANSWERS);
        const caller: Caller = {
          resolve(answer) {
            if (!answer.ok) resolve(answer);
            else if (isOf(answer.value, kind)) resolve({ ok: true, value: answer.value });
            else reject(new Error(`${requestId} is answered by a ${answer.value.kind}`));
          },
          reject,
        };
        waiting.set(requestId, [...(waiting.get(requestId) ?? []), caller]);
      }),
    answer(reply: AnswerEffect) {
      const { requestId } = reply;
      const callers = waiting.get(requestId) ?? [];
      waiting.delete(requestId);
      const answer: Result<ReplyValue> =
        reply.type === 'reply.ok' ? { ok: true, value: reply.value } : failureIn(reply);
      for (const { resolve } of callers) resolve(answer);
    },
    /** Called when the process stops: nobody will answer any more, and what was begun goes on after its next start. */
    end() {
      hasEnded = true;
      const left = [...waiting.values()].flat();
      waiting.clear();
      for (const { resolve } of left) resolve(NOBODY_ANSWERS);
    },
    /** Called on a bug or a broken disk: every waiting caller gets an exception, which HTTP answers with 500. */
    fail(error: Error) {
      const left = [...waiting.values()].flat();
      waiting.clear();
      for (const { reject } of left) reject(error);
    },
  };
}

function isOf<K extends ReplyKind>(value: ReplyValue, kind: K | undefined): value is ReplyOf<K> {
  return kind === undefined || value.kind === kind;
}

/** What is refused in the turn that asked for it has begun nothing. */
export function failureIn({
  code,
  detail,
  isAtOnce,
}: Extract<AnswerEffect, { type: 'reply.error' }>): Failure {
  return { ok: false, code, detail, ...(isAtOnce === true ? {} : { outcome: 'failed' as const }) };
}
