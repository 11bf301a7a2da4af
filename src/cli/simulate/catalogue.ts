/** `sluice simulate list` and `show NAME`: list and print the scenarios that come with the program. */
import { Command } from 'commander';
import { MIX } from '../../simulation/run/mix.ts';
import { readScenario, scenarioNames } from '../../simulation/scenario/catalogue.ts';
import { parseScenario } from '../../simulation/scenario/parse.ts';
import { print } from '../terminal.ts';
import { badUsage, write } from './output.ts';

export function listCommand(): Command {
  return new Command('list')
    .description('name the scenarios that come with the program')
    .action(() => {
      const mix = entry(
        MIX,
        'Small worlds in which everything may happen',
        'Another one for each seed.',
      );
      write([...scenarioNames().flatMap(entryOf), ...mix]);
    });
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

export function showCommand(): Command {
  const command = new Command('show')
    .description('print a scenario that comes with the program, to be changed and run')
    .argument('<name>', 'as "simulate list" names it');
  return command.action((name: string) => {
    const text = readScenario(name);
    if (text === null)
      process.exit(badUsage([`there is no scenario "${name}": "sluice simulate list" names them`]));
    print(text.trimEnd());
  });
}
