/** Which program ran, for reports: its version, and the commit when it runs from a checkout. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../version.ts';

/** From src/cli/simulate, dist/src/cli/simulate, and the one file in dist/src/cli. */
const TOPS = ['../../..', '../../../..'];

export function programCommit(): string {
  const commits = TOPS.map((path) =>
    headOf(fileURLToPath(new URL(`${path}/.git`, import.meta.url))),
  );
  const head = commits.find((found) => found !== null);
  return head == null ? version() : `${version()} (${head.slice(0, 12)})`;
}

/** Null when there is none, or when it is kept in a way that takes git to read. */
function headOf(git: string): string | null {
  try {
    if (!existsSync(git)) return null;
    // A further worktree has a file that says where its own part is.
    const folder = statSync(git).isDirectory()
      ? git
      : resolve(git, '..', read(git).replace(/^gitdir: /, ''));
    const head = read(`${folder}/HEAD`);
    if (!head.startsWith('ref: ')) return /^[0-9a-f]{40}$/.test(head) ? head : null;
    const common = `${folder}/commondir`;
    const base = existsSync(common) ? resolve(folder, read(common)) : folder;
    return read(`${base}/${head.slice('ref: '.length)}`);
  } catch {
    return null;
  }
}

function read(path: string): string {
  return readFileSync(path, 'utf8').trim();
}
