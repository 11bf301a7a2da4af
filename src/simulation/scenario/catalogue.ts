/** The scenarios that come with the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ENDING = '.yaml';
/**
 * They stand beside this folder. The compiled file finds them four levels above itself, in src/ of the package;
 * and the one file that all of the program is made into, three.
 */
const PLACES = ['..', '../../../src/simulation', '../../../../src/simulation'];

/** In the order of the alphabet. */
export function scenarioNames(): string[] {
  return readdirSync(folder())
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/** The text of one of them; null: there is none of that name. */
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
