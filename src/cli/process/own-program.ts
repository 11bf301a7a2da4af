/** How this program is started again: by itself, for nodes in processes of their own, and by a person. */
import { basename } from 'node:path';
import type { Program } from '../../devnet/options.ts';

/**
 * A payment allocates memory that is unused a few milliseconds later: with a young generation of 32 MiB, twice Node's
 * default, less of it is copied before it is collected. The first line of `main.ts` has the same flag.
 */
const FLAGS = ['--max-semi-space-size=32'];

/** `main`: the compiled file of the program. */
export function programOf(main: string): Program {
  return [process.execPath, ...FLAGS, main];
}

/** What a person types to start this program. `path`: the file that was started, as in `process.argv`. */
export function typedAs(path: string): string {
  return basename(path) === 'sluice' ? 'sluice' : `node '${path.replaceAll("'", `'\\''`)}'`;
}
