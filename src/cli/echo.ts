/**
 * `sluice echo`: runs a node that pays back what it is paid, in the node's own process, because a key must not run
 * twice.
 */
import { Command } from 'commander';
import { echoOn } from '../host/echo-node.ts';
import { faultOf, NODE_SETTINGS, runNode } from './node.ts';
import { choicesOf } from './node-config.ts';
import { declare, readerOf } from './settings.ts';

export function echoCommand(): Command {
  const command = new Command('echo').description(
    'run one node that answers each payment with one, by the rules of echo nodes: for test networks',
  );
  return declare(command, NODE_SETTINGS).action(async () => {
    const run = runNode(choicesOf(readerOf(command)), faultOf(command), (opened, parts) => {
      return echoOn(opened, parts).stop;
    });
    process.exit(await run);
  });
}
