/** Moves that wait for messages. */
import type { Sayable } from '../scenario/schema/moves.ts';

type Awaiting = {
  do: string;
  type: Sayable;
  /** So many messages are let pass before, and so many meet the move. */
  skip: number;
  times: number;
};
export type WaitingMoves<M> = {
  /**
   * The first move that waits for a message or a change of this type, if it need not skip it. One of the move's times is
   * used up.
   */
  take(type: Sayable): M | null;
};

export function createWaitingMoves<M extends Awaiting>(
  moves: readonly M[],
  onMove: (text: string) => void,
): WaitingMoves<M> {
  const waiting = moves.map((move) => ({ move, skip: move.skip, times: move.times }));
  return {
    take(type) {
      const found = waiting.find(({ move }) => move.type === type);
      if (found === undefined) return null;
      if (found.skip > 0) {
        found.skip -= 1;
        return null;
      }
      found.times -= 1;
      if (found.times === 0) waiting.splice(waiting.indexOf(found), 1);
      onMove(`${type}: ${found.move.do}`);
      return found.move;
    },
  };
}
