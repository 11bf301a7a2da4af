/** The files that nodes have written when their databases were lost. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The newest of them, that was written for one of these names; null: there is none. */
export function newestRescued(names: readonly string[]): string | null {
  const found = names.flatMap((name) => {
    const begin = `${basename(name)}.rescued-`;
    return namesIn(dirname(name))
      .filter((entry) => entry.startsWith(begin) && entry.endsWith('Z'))
      .map((entry) => ({ file: join(dirname(name), entry), time: entry.slice(begin.length) }));
  });
  return found.toSorted((a, b) => a.time.localeCompare(b.time)).at(-1)?.file ?? null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
