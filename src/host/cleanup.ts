/** What has to be ended again, whether a start succeeded, failed or was interrupted. */
import type { Log } from '../basics/environment.ts';

export type Cleanup = {
  /**
   * Notes how to end what was just begun; if `end` was called already it is ended at once, and `Interrupted` is thrown.
   */
  add(stop: () => void | Promise<void>): Promise<void>;
  /** Ends everything. May be called again; resolves when all is ended. */
  end(): Promise<void>;
  hasEnded(): boolean;
};

/** Thrown when a start is interrupted: what it began is being ended. */
export class Interrupted extends Error {}

/** Ends what began last first, or all at the same time. A failing end does not keep the others from being ended. */
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

/**
 * Begins something by `open`, which notes in `held` what it has begun; whoever asked for it ends that by `held.end`. After a
 * refusal, and when it throws, everything is ended. `what`: logged of an end that fails.
 */
export async function holding<Opened extends { ok: boolean }>(
  log: Log,
  what: string,
  open: (held: Cleanup) => Promise<Opened>,
): Promise<Opened> {
  const held = createCleanup((error) => log.error({ error: String(error) }, what));
  try {
    const opened = await open(held);
    if (!opened.ok) await held.end();
    return opened;
  } catch (error) {
    await held.end();
    throw error;
  }
}
