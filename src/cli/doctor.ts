/** `sluice doctor`: checks whether a node with these options would run well, or does run well. It changes nothing. */
import type { Command } from 'commander';
import { JSON_OUTPUT } from './backup.ts';
import { choicesOf, NODE_SETTINGS } from './options/node-choices.ts';
import { declare, readerOf } from './options/settings.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

export function doctorCommand(): Command {
  const command = new LateCommand('doctor').description(
    'check all that a node with these options needs; changes nothing, also beside a running node',
  );
  return act(declare(command, [...NODE_SETTINGS, JSON_OUTPUT]), async () => {
    const read = readerOf(command);
    const isJson = read(JSON_OUTPUT);
    const choices = choicesOf(read);
    const { runDoctor } = await import('./run/doctor.ts');
    return runDoctor(choices, isJson);
  });
}
