/** How this program starts itself again, for nodes that run in processes of their own. */
import type { Program } from '../devnet/processes.ts';

/**
 * A payment makes garbage that is dead a few milliseconds later: in a young generation of 32 MiB, twice what Node
 * gives, less of it is copied before it is collected. The first line of `main.ts` says the same.
 */
const FLAGS = ['--max-semi-space-size=32'];

/** `main`: the compiled file of the program. */
export function programOf(main: string): Program {
  return [process.execPath, ...FLAGS, main];
}
