/** `sluice simulate … --inspect`: serves the inspector for a simulated network, in which the reader moves time. */

import { messageOf } from '../../basics/message-of.ts';
import { serveInspector } from '../../devnet/page/inspector-site.ts';
import { openShow } from '../../simulation/inspect/show.ts';
import { nodeCount } from '../../simulation/scenario/checks.ts';
import type { Source } from '../../simulation/workers/order.ts';
import { announce, deferred, INTERRUPTED, onStopSignal, refuse, say } from '../process/terminal.ts';
import type { Given } from './given.ts';
import { badUsage } from './output.ts';

/** `port`: 0 takes a free one; `at`: the step at which to begin. */
export type Inspect = { seed: number; port: number; at: number };

/** With more nodes than these a browser needs minutes for the first picture, and stands still meanwhile. */
const MOST_SHOWN = 100;

/** The exit code: 0 when a signal has ended it. */
export async function inspect(given: Given, { seed, port, at }: Inspect): Promise<number> {
  const { source } = given;
  if (isTooLarge(source))
    return badUsage([
      `${given.place} has ${nodesOf(source)} nodes, and the page shows ${MOST_SHOWN} at most: give it a smaller network ` +
        '("simulate import" takes a sample of a graph), or leave out --inspect and look at the report of --out',
    ]);
  const ending = deferred<void>();
  onStopSignal({ stop: () => ending.resolve(), force: () => process.exit(INTERRUPTED) });
  try {
    const show = await openShow({ source, seed }, at);
    const { nodes, tokens, time } = show;
    const site = await serveInspector({ nodes, tokens, time, port });
    announce(`${site.url}/inspector/`);
    say(`${given.place} with seed ${seed}, in virtual time. Ctrl-C ends it`);
    await ending.promise;
    await site.close();
    await show.end();
    return 0;
  } catch (error) {
    return refuse(`the inspector cannot be shown: ${messageOf(error)}`);
  }
}

/** Whether a page could not show so many nodes. */
export const isTooLarge = (source: Source): boolean => nodesOf(source) > MOST_SHOWN;

/** 0 for small worlds, whose size follows from their seed. */
const nodesOf = (source: Source): number =>
  source.kind === 'mix' ? 0 : nodeCount(source.scenario);

/** The command that opens a run before its step `at`. */
export function inspectCommand(place: string, seed: number, at: number): string {
  return `sluice simulate ${place} --seed ${seed} --inspect --at ${at}`;
}
