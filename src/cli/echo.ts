/**
 * `sluice echo`: runs a node that pays back what it is paid, in the node's own process, because a key must not run
 * twice.
 */
import type { Command } from 'commander';
import { faultOf } from './node.ts';
import { choicesOf, NODE_SETTINGS } from './options/node-choices.ts';
import { declare, readerOf } from './options/settings.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

export function echoCommand(): Command {
  const command = new LateCommand('echo').description(
    'run one node that answers each payment with one, by the rules of echo nodes: for test networks',
  );
  declare(command, NODE_SETTINGS);
  return act(command, async () => {
    const choices = choicesOf(readerOf(command));
    const fault = faultOf(command);
    const { runNode } = await import('./run/node.ts');
    const { echoOn } = await import('../host/services/echo-node.ts');
    return runNode(choices, fault, (opened, parts) => echoOn(opened, parts).stop);
  });
}
