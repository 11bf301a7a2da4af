/** Names the program that ran, for reports: its version, and the commit when it runs from a checkout. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../process/version.ts';

/** The top folder as seen from src/cli/simulate, dist/src/cli/simulate, and the one file in dist/src/cli. */
const TOPS = ['../../..', '../../../..'];

export function programCommit(): string {
  const commits = TOPS.map((path) =>
    headOf(fileURLToPath(new URL(`${path}/.git`, import.meta.url))),
  );
  const head = commits.find((found) => found !== null);
  return head == null ? version() : `${version()} (${head.slice(0, 12)})`;
}

/** The commit; null when there is none, or when only git itself could read it. */
function headOf(git: string): string | null {
  try {
    if (!existsSync(git)) return null;
    // In a further worktree `.git` is a file that names the worktree's own folder.
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
