/** Work whose result is shown when it comes. */

import { messageOf } from '../basics/message-of.ts';

/** Gives on what the work has brought, or why it failed; nothing more once the returned function was called. */
export function whenDone<Value>(
  work: Promise<Value>,
  take: (value: Value) => void,
  onProblem: (problem: string) => void = () => {},
): () => void {
  let isOver = false;
  work.then(
    (value) => isOver || take(value),
    (error: unknown) => isOver || onProblem(messageOf(error)),
  );
  return () => {
    isOver = true;
  };
}
