/** Callers that wait for an answer. A caller does not outlive the process, so nothing of this is on disk. */
import type { Reply, ReplyValue } from '../../../machines/effects.ts';
import type { Result } from '../../protocol/codes.ts';

export type Questions = ReturnType<typeof createQuestions>;

type Caller = { resolve(answer: Result<ReplyValue>): void; reject(error: unknown): void };

/**
 * `process`: a text that no earlier process used, because an actor may answer after the process that asked has ended.
 */
export function createQuestions(process: string) {
  const waiting = new Map<string, Caller[]>();
  let count = 0;

  return {
    /** A new id for the request of a caller that waits. */
    nextId: () => `request:${process}:${++count}`,
    /** Resolves when the actor answers under this id; several callers may wait for the same one. */
    wait: (requestId: string): Promise<Result<ReplyValue>> =>
      new Promise((resolve, reject) => {
        waiting.set(requestId, [...(waiting.get(requestId) ?? []), { resolve, reject }]);
      }),
    answer(reply: Reply) {
      const { requestId } = reply;
      const callers = waiting.get(requestId) ?? [];
      waiting.delete(requestId);
      const answer: Result<ReplyValue> =
        reply.type === 'reply.ok'
          ? { ok: true, value: reply.value }
          : { ok: false, code: reply.code, detail: reply.detail };
      for (const { resolve } of callers) resolve(answer);
    },
    /** Called when the process stops: nobody will answer any more. */
    end() {
      const left = [...waiting.values()].flat();
      waiting.clear();
      for (const { resolve } of left) resolve({ ok: false, code: 'shutting_down' });
    },
    /** Called on a bug or a broken disk: every waiting caller gets an exception, which HTTP answers with 500. */
    fail(error: Error) {
      const left = [...waiting.values()].flat();
      waiting.clear();
      for (const { reject } of left) reject(error);
    },
  };
}
