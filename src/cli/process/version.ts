import { existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';

const packageFile = v.object({ version: v.string() });

/** This package's version. package.json is three levels above src/cli/process, four above dist/src/cli/process. */
export function version(): string {
  const candidates = ['../../../package.json', '../../../../package.json'];
  const places = candidates.map((path) => new URL(path, import.meta.url));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error('package.json is missing in this package');
  return v.parse(packageFile, JSON.parse(readFileSync(found, 'utf8'))).version;
}
