/** Those who wait until a number of commits is on the disk, in the order in which they asked. */
type Waiter = { commits: number; done(): void; fail(error: unknown): void };

export function createWaiters() {
  let waiting: Waiter[] = [];
  return {
    isEmpty: () => waiting.length === 0,
    add: (waiter: Waiter): void => void waiting.push(waiter),
    /** Calls everybody whose commits are among the first `durable` ones. */
    tell(durable: number): void {
      for (
        let next = waiting[0];
        next !== undefined && next.commits <= durable;
        next = waiting[0]
      ) {
        waiting.shift();
        next.done();
      }
    },
    fail(error: unknown): void {
      for (const one of waiting.splice(0)) one.fail(error);
    },
    /** Nobody who waits hears any more. */
    drop(): void {
      waiting = [];
    },
  };
}
