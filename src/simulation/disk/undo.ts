/**
 * Undoes writes to a disk in memory: those of a transaction that fails, and the last transactions of a disk that
 * claimed to be durable and was not.
 */

export type Undo = {
  /** Called within a transaction: `back` undoes the change that the caller is about to make. */
  note(back: () => void): void;
  /** Runs `work`; when it throws, all its changes are undone. Returns whether it changed anything. */
  transaction(work: () => void): boolean;
  /** Undoes so many of the last transactions, or as many as are remembered; returns how many. */
  lose(count: number): number;
  /** From now on no earlier write can be undone. */
  settle(): void;
};

/** `remembered`: how many of the last transactions can be undone; each keeps the data that it replaced. */
export function createUndo(remembered: number): Undo {
  const done: (() => void)[][] = [];
  let open: (() => void)[] | null = null;

  function takeBack(backs: (() => void)[]): void {
    for (let back = backs.pop(); back !== undefined; back = backs.pop()) back();
  }

  return {
    note(back) {
      if (open === null) throw new Error('disk: a change outside of a transaction');
      open.push(back);
    },
    transaction(work) {
      const backs: (() => void)[] = [];
      open = backs;
      try {
        work();
      } catch (error) {
        takeBack(backs);
        throw error;
      } finally {
        open = null;
      }
      if (backs.length === 0) return false;
      if (remembered > 0) done.push(backs);
      if (done.length > remembered) done.shift();
      return true;
    },
    lose(count) {
      const lost = Math.min(count, done.length);
      for (let n = 0; n < lost; n++) takeBack(done.pop() ?? []);
      return lost;
    },
    settle: () => void done.splice(0),
  };
}
