/** The scenarios that come with the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ENDING = '.yaml';
/**
 * Where the folder of scenarios may be: beside this folder; the compiled file finds it four levels above itself, in
 * src/ of the package; and the single file that the whole program is bundled into, three levels above.
 */
const PLACES = ['..', '../../../src/simulation', '../../../../src/simulation'];

/** The names in alphabetical order. */
export function scenarioNames(): string[] {
  return readdirSync(folder())
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/** The text of the scenario of this name; null: there is none. */
export function readScenario(name: string): string | null {
  return scenarioNames().includes(name)
    ? readFileSync(`${folder()}/${name}${ENDING}`, 'utf8')
    : null;
}

function folder(): string {
  const found = PLACES.map((place) =>
    fileURLToPath(new URL(`${place}/scenarios`, import.meta.url)),
  );
  const first = found.find((path) => hasScenarios(path));
  if (first === undefined)
    throw new Error('simulation: the folder "scenarios" is missing in this package');
  return first;
}

function hasScenarios(path: string): boolean {
  try {
    return readdirSync(path).some((file) => file.endsWith(ENDING));
  } catch {
    return false;
  }
}
