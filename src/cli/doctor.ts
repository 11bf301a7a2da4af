/** `sluice doctor`: checks whether a node with these options would run well, or does run well. It changes nothing. */
import type { Command } from 'commander';
import { JSON_OUTPUT } from './options/database.ts';
import { NODE_OPTIONS } from './options/node-options.ts';
import { actWith } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';

export function doctorCommand(): Command {
  const command = new LateCommand('doctor').description(
    'check all that a node with these options needs; changes nothing, also beside a running node',
  );
  const options = { node: NODE_OPTIONS, isJson: JSON_OUTPUT };
  return actWith(command, options, async ({ node, isJson }) => {
    const { runDoctor } = await import('./run/doctor.ts');
    return runDoctor(node, isJson);
  });
}
