#!/usr/bin/env node
/** The program `sluice`. */
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { describe } from '../chain/errors.ts';
import { accountCommand } from './account.ts';
import { backupCommand } from './backup.ts';
import { contractsCommand } from './contracts.ts';
import { devnetCommand } from './devnet.ts';
import { doctorCommand } from './doctor.ts';
import { echoCommand } from './echo.ts';
import { inspectCommand } from './inspect.ts';
import { monitoringCommand } from './monitoring.ts';
import { FATAL, nodeCommand } from './node.ts';
import { pathfindingCommand } from './pathfinding.ts';
import { cleanText } from './redact.ts';
import { simulateCommand } from './simulate.ts';
import { say } from './terminal.ts';
import { version } from './version.ts';

const program = new Command('sluice')
  .description('a payment-channel node: deposit ERC-20 tokens, pay off chain, settle on chain')
  .version(version())
  // A command may have an option that the command around it has, too.
  .enablePositionalOptions()
  .addCommand(nodeCommand())
  .addCommand(echoCommand())
  .addCommand(pathfindingCommand())
  .addCommand(devnetCommand(fileURLToPath(import.meta.url)))
  .addCommand(monitoringCommand())
  .addCommand(inspectCommand())
  .addCommand(simulateCommand(fileURLToPath(import.meta.url)))
  .addCommand(doctorCommand())
  .addCommand(backupCommand())
  .addCommand(contractsCommand())
  .addCommand(accountCommand());

/** What nobody expected, thrown anywhere: Node itself would print all that the error holds. */
function end(error: unknown): never {
  // A message of the chain's library may hold the endpoint's URL with its access key: frames do not.
  const frames = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const places = frames.filter((line) => line.startsWith('    at '));
  say([`sluice: unexpected: ${cleanText(describe(error))}`, ...places].join('\n'));
  process.exit(FATAL);
}
process.on('uncaughtException', end);

try {
  await program.parseAsync();
} catch (error) {
  end(error);
}
