/** How this program starts itself again, for nodes in processes of their own. */
import type { Program } from '../devnet/processes.ts';

/**
 * A payment allocates memory that is unused a few milliseconds later: with a young generation of 32 MiB, twice Node's
 * default, less of it is copied before it is collected. The first line of `main.ts` has the same flag.
 */
const FLAGS = ['--max-semi-space-size=32'];

/** `main`: the compiled file of the program. */
export function programOf(main: string): Program {
  return [process.execPath, ...FLAGS, main];
}
