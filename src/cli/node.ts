/** `sluice node`, with the options of `node-choices.ts`. */
import type { Command } from 'commander';
import { type Fault, noFault } from '../basics/fault.ts';
import { killAt } from '../node/runtime/commits/fault.ts';
import { choicesOf, NODE_SETTINGS } from './options/node-choices.ts';
import { declare, readerOf, usageError } from './options/settings.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';
import { session } from './process/session.ts';

export function nodeCommand(): Command {
  const command = new LateCommand('node').description('run one node');
  declare(command, NODE_SETTINGS);
  return act(command, async () => {
    const choices = choicesOf(readerOf(command));
    const fault = faultOf(command);
    const { runNode } = await import('./run/node.ts');
    return runNode(choices, fault);
  });
}

/** For crash tests: the process kills itself at the point that the environment variable names. */
export function faultOf(command: Command): Fault {
  const given = session().environment['SLUICE_CRASH_AT'];
  if (given === undefined) return noFault;
  return killAt(given) ?? usageError(command, 'SLUICE_CRASH_AT must be POINT:NUMBER');
}
