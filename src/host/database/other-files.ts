/** The files besides the database that a running node does not read any more, and its next start needs. */
import { accessSync, constants, statSync } from 'node:fs';
import { basename } from 'node:path';

/** `what`: as people know it, such as the option that names it. `path`: of a file or a folder. */
export type NamedFile = { what: string; path: string };
export type OtherFiles = {
  /** Which of them cannot be read, and what to do, for people; null: all can be. */
  missing(): string | null;
};

/** `lock`: the file by which a second process with the same key is kept from starting; it is there, and held. */
export function createOtherFiles(files: readonly NamedFile[], lock: string): OtherFiles {
  const held = numbersOf(lock);

  return {
    missing() {
      const gone = files.filter(({ path }) => !isReadable(path));
      const texts = gone.map(
        ({ what, path }) =>
          `${what} (${basename(path)}) cannot be read any more. The node goes on, but its next start will fail: put it back.`,
      );
      if (numbersOf(lock) !== held)
        texts.push(
          `The lock of the key (${basename(lock)}) was deleted or replaced: nothing keeps a second process with this key ` +
            'from starting. See that there is none, end this node and start it again.',
        );
      return texts.length === 0 ? null : texts.join(' ');
    },
  };
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Device and number of the file; empty: there is none. It is never opened: to close it would give up its lock. */
function numbersOf(path: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return '';
  }
}
