/** `sluice node`, with the options of `node-options.ts`. */
import type { Command } from 'commander';
import { type Fault, noFault } from '../basics/fault.ts';
import { killAt } from '../node/runtime/commits/fault.ts';
import { NODE_OPTIONS } from './options/node-options.ts';
import { actWith, usageError } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';
import { session } from './process/session.ts';

export function nodeCommand(): Command {
  const command = new LateCommand('node').description('run one node');
  return actWith(command, NODE_OPTIONS, async (options) => {
    const fault = faultOf(command);
    const { runNode } = await import('./run/node.ts');
    return runNode(options, fault);
  });
}

/** For crash tests: the process kills itself at the point that the environment variable names. */
export function faultOf(command: Command): Fault {
  const given = session().environment['SLUICE_CRASH_AT'];
  if (given === undefined) return noFault;
  return killAt(given) ?? usageError(command, 'SLUICE_CRASH_AT must be POINT:NUMBER');
}
