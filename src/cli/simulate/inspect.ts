/** `sluice simulate … --inspect`: serves the inspector for a simulated network, in which the reader moves time. */
import { serveInspector } from '../../devnet/inspector-site.ts';
import { openShow } from '../../simulation/inspect/show.ts';
import { deferred, INTERRUPTED, onStopSignal, print, refuse, say } from '../terminal.ts';
import type { Given } from './given.ts';

/** `port`: 0 takes a free one; `at`: the step at which to begin. */
export type Inspect = { seed: number; port: number; at: number };

/** The exit code: 0 when a signal has ended it. */
export async function inspect(given: Given, { seed, port, at }: Inspect): Promise<number> {
  const ending = deferred<void>();
  onStopSignal({ stop: () => ending.resolve(), force: () => process.exit(INTERRUPTED) });
  try {
    const show = await openShow({ source: given.source, seed }, at);
    const { nodes, tokens, time } = show;
    const site = await serveInspector({ nodes, tokens, time, port });
    print(`${site.url}/inspector/`);
    say(`${given.place} with seed ${seed}, in virtual time. Ctrl-C ends it`);
    await ending.promise;
    await site.close();
    await show.end();
    return 0;
  } catch (error) {
    return refuse(
      `the inspector cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The command that opens a run before its step `at`. */
export function inspectCommand(place: string, seed: number, at: number): string {
  return `sluice simulate ${place} --seed ${seed} --inspect --at ${at}`;
}
