/**
 * Takes back what was written to a disk in memory: a transaction that fails, and the last ones that a disk
 * has promised to hold and does not.
 */

export type Undo = {
  /** Within a transaction: `back` takes back the change that the caller is about to make. */
  note(back: () => void): void;
  /** Runs `work`; when it throws, everything that it changed is as it was. Answers whether it changed anything. */
  transaction(work: () => void): boolean;
  /** Takes back the last transactions, so many or as many as are remembered; answers how many. */
  lose(count: number): number;
  /** From here on nothing that was written before can be taken back. */
  settle(): void;
};

/** `remembered`: how many of the last transactions can be taken back; each keeps what it replaced. */
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
