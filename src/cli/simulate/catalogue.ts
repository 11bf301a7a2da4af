/** `sluice simulate list` and `show NAME`: list and print the scenarios that come with the program. */
import { MIX } from '../../simulation/run/mix/mix.ts';
import { readScenario, scenarioNames } from '../../simulation/scenario/catalogue.ts';
import { parseScenario } from '../../simulation/scenario/parse.ts';
import { print } from '../process/terminal.ts';
import { badUsage, write } from './output.ts';

/** The exit code. */
export function list(): number {
  const mix = entry(
    MIX,
    'Small worlds in which everything may happen',
    'Another one for each seed.',
  );
  write([...scenarioNames().flatMap(entryOf), ...mix]);
  return 0;
}

function entryOf(name: string): string[] {
  const parsed = parseScenario(readScenario(name) ?? '', name);
  if (!parsed.ok) return [name];
  const { title, description } = parsed.scenario;
  return entry(name, title, description);
}

/** Two lines: the name with its title, and the first sentence of the description. */
function entry(name: string, title: string, description: string): string[] {
  const sentence =
    description
      .trim()
      .replaceAll(/\s+/g, ' ')
      .split(/(?<=\.) /)[0] ?? '';
  return [`${name}: ${title}`, `    ${sentence}`];
}

/** Where an editor finds the schema, as seen from the folder of the scenarios: elsewhere there is none. */
const SCHEMA_LINE = /^# yaml-language-server: .*\n/;

/** The exit code. */
export function show(name: string): number {
  const text = readScenario(name);
  if (text === null)
    return badUsage([`there is no scenario "${name}": "sluice simulate list" names them`]);
  print(text.replace(SCHEMA_LINE, '').trimEnd());
  return 0;
}
