#!/usr/bin/env node
/** The program `sluice`. */
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { describe } from '../chain/errors.ts';
import { accountCommand } from './account.ts';
import { contractsCommand } from './contracts.ts';
import { devnetCommand } from './devnet.ts';
import { FATAL, nodeCommand } from './node.ts';
import { say } from './terminal.ts';
import { version } from './version.ts';

const program = new Command('sluice')
  .description('a payment-channel node: deposit ERC-20 tokens, pay off chain, settle on chain')
  .version(version())
  .addCommand(nodeCommand())
  .addCommand(devnetCommand(fileURLToPath(import.meta.url)))
  .addCommand(contractsCommand())
  .addCommand(accountCommand());

try {
  await program.parseAsync();
} catch (error) {
  // A message of the chain's library may hold the endpoint's URL with its access key: frames do not.
  const frames = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const places = frames.filter((line) => line.startsWith('    at '));
  say([`sluice: unexpected: ${describe(error)}`, ...places].join('\n'));
  process.exit(FATAL);
}
