/** Where the compiled file of a thread is. */
import { existsSync } from 'node:fs';

/**
 * The file `thread.js` beside the module `from` (its `import.meta.url`), or in `folder` of the sources, where the one
 * file finds it that the program is built into. Null: from the sources no thread can run.
 */
export function threadFile(from: string, folder: string): URL | null {
  const places = ['./thread.js', `../${folder}/thread.js`].map((place) => new URL(place, from));
  return places.find((file) => existsSync(file)) ?? null;
}
