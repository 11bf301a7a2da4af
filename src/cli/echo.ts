/**
 * `sluice echo`: runs a node that pays back what it is paid, in the node's own process, because a key must not run
 * twice.
 */
import type { Command } from 'commander';
import { faultOf } from './node.ts';
import { NODE_OPTIONS } from './options/node-options.ts';
import { actWith } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';

export function echoCommand(): Command {
  const command = new LateCommand('echo').description(
    'run one node that answers each payment with one, by the rules of echo nodes: for test networks',
  );
  return actWith(command, NODE_OPTIONS, async (options) => {
    const fault = faultOf(command);
    const { runNode } = await import('./run/node.ts');
    const { echoOn } = await import('../host/services/echo-node.ts');
    return runNode(options, fault, (opened, parts) => echoOn(opened, parts).stop);
  });
}
