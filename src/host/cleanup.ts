/** What has to be given back, whether a start succeeded, failed or was cut off. */
export type Cleanup = {
  /** Notes how to end what was just begun; after `end` it is ended at once, and `Interrupted` is thrown. */
  add(stop: () => void | Promise<void>): Promise<void>;
  /** Ends everything. May be called again, and answers when all of it is done. */
  end(): Promise<void>;
  hasEnded(): boolean;
};

/** The start goes no further: what it began is being ended. */
export class Interrupted extends Error {}

/** Ends the last first, or all at the same time. One that fails does not keep others from being ended. */
export function createCleanup(
  onFailure: (error: unknown) => void,
  order: 'last first' | 'together' = 'last first',
): Cleanup {
  const stops: (() => void | Promise<void>)[] = [];
  let ending: Promise<void> | null = null;

  async function endOne(stop: () => void | Promise<void>): Promise<void> {
    try {
      await stop();
    } catch (error) {
      onFailure(error);
    }
  }

  async function endAll(): Promise<void> {
    if (order === 'together') return void (await Promise.all(stops.splice(0).map(endOne)));
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await endOne(stop);
  }

  return {
    async add(stop) {
      stops.push(stop);
      if (ending === null) return;
      await ending;
      await endAll();
      throw new Interrupted('interrupted');
    },
    end() {
      ending ??= endAll();
      return ending;
    },
    hasEnded: () => ending !== null,
  };
}
