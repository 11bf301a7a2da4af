/** Who waits for an answer. A caller dies with the process, so nothing of this is on disk. */
import type { Reply, ReplyValue } from '../../../machines/effects.ts';
import type { Result } from '../../protocol/codes.ts';

export type Questions = ReturnType<typeof createQuestions>;

type Caller = { resolve(answer: Result<ReplyValue>): void; reject(error: unknown): void };

/** `process`: a text that no process before used; answers to its callers may come after its end. */
export function createQuestions(process: string) {
  const waiting = new Map<string, Caller[]>();
  let count = 0;

  return {
    /** A new name for a request of somebody who waits. */
    nextId: () => `request:${process}:${++count}`,
    /** Resolves when the actor answers under this name; several may wait for the same. */
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
    /** The process is going down: nobody will answer any more. */
    end() {
      const left = [...waiting.values()].flat();
      waiting.clear();
      for (const { resolve } of left) resolve({ ok: false, code: 'shutting_down' });
    },
    /** A bug or a broken disk: every caller that waits gets an exception, which is a 500 for HTTP. */
    fail(error: Error) {
      const left = [...waiting.values()].flat();
      waiting.clear();
      for (const { reject } of left) reject(error);
    },
  };
}
