/**
 * The queue in front of the node: calls are handled one at a time, in order of arrival (API document,
 * Limits: Concurrency), or a fixed number at once. Blocks and partner messages never pass here.
 */

/** What waiting came to: the caller's turn, no place, the client left, or the gate was closed. */
export type Turn = 'turn' | 'full' | 'gone' | 'closed';

export type Gate = ReturnType<typeof createGate>;

/** Whoever gets in (`tryEnter` true, or `wait` with 'turn') must call `leave` once. */
export function createGate({ concurrency, limit }: { concurrency: number; limit: number }) {
  const waiting = new Set<(turn: Turn) => void>();
  let running = 0;
  let closed = false;

  /** Whether the caller is in at once. Nobody overtakes: a turn is handed on, never set free first. */
  function tryEnter(): boolean {
    if (running >= concurrency) return false;
    running++;
    return true;
  }

  /** Takes the last place; `signal` (the client is gone) gives it up. */
  async function wait(signal: AbortSignal): Promise<Turn> {
    if (closed) return 'closed';
    if (signal.aborted) return 'gone';
    if (waiting.size >= limit) return 'full';
    return new Promise((resolve) => {
      function settle(turn: Turn): void {
        waiting.delete(settle);
        signal.removeEventListener('abort', abandon);
        resolve(turn);
      }
      const abandon = () => settle('gone');
      signal.addEventListener('abort', abandon);
      waiting.add(settle);
    });
  }

  /** Hands the turn to the first who waits. */
  function leave(): void {
    const next = waiting.values().next().value;
    if (next === undefined) running--;
    else next('turn');
  }

  /** Sends everybody away who waits, and all who come later and would have to wait. */
  function close(): void {
    closed = true;
    for (const settle of [...waiting]) settle('closed');
  }

  return { tryEnter, wait, leave, close, waiting: () => waiting.size };
}
