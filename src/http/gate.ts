/**
 * The queue in front of the node: calls are handled one at a time, in order of arrival (API document, Limits:
 * Concurrency), or a fixed number at once. Blocks and partner messages do not pass it.
 */

/** How waiting ended: it is the caller's turn, the queue is full, the client has gone, or the gate was closed. */
export type Turn = 'turn' | 'full' | 'gone' | 'closed';

export type Gate = ReturnType<typeof createGate>;

/** A caller that gets a turn (`tryEnter` true, or `wait` with 'turn') must call `leave` once. */
export function createGate({ concurrency, limit }: { concurrency: number; limit: number }) {
  const waiting = new Set<(turn: Turn) => void>();
  let running = 0;
  let closed = false;

  /**
   * Whether the caller gets a turn at once. Nobody overtakes: a turn is handed to the next in line without becoming
   * free.
   */
  function tryEnter(): boolean {
    if (running >= concurrency) return false;
    running++;
    return true;
  }

  /**
   * Waits at the end of the queue until it is the caller's turn; gives the place up when `signal` says the client is
   * gone.
   */
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

  /** Hands the turn to the first in the queue. */
  function leave(): void {
    const next = waiting.values().next().value;
    if (next === undefined) running--;
    else next('turn');
  }

  /** Refuses everybody who waits, and all later callers who would have to wait. */
  function close(): void {
    closed = true;
    for (const settle of [...waiting]) settle('closed');
  }

  return { tryEnter, wait, leave, close, waiting: () => waiting.size };
}
