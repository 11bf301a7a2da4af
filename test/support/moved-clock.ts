/** Clocks of processes that a test moves, as if they had slept. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PRELOADED = fileURLToPath(new URL('./moved-clock.mjs', import.meta.url));

/** `env`: of the processes whose clocks these are. */
export function createMovedClock(folder: string) {
  const file = join(folder, 'clock');
  let ahead = 0;
  return {
    env: { NODE_OPTIONS: `--import=${PRELOADED}`, MOVED_CLOCK: file },
    /** All their clocks, at once. */
    pass(hours: number): void {
      ahead += hours * 3_600_000;
      writeFileSync(`${file}.new`, String(ahead));
      renameSync(`${file}.new`, file);
    },
  };
}
