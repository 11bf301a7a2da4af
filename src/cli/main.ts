#!/usr/bin/env -S node --max-semi-space-size=32
/** The program `sluice`. */
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { accountCommand } from './account.ts';
import { backupCommand } from './backup.ts';
import { contractsCommand } from './contracts.ts';
import { devnetCommand } from './devnet.ts';
import { doctorCommand } from './doctor.ts';
import { echoCommand } from './echo.ts';
import { exportCommand } from './export.ts';
import { inspectCommand } from './inspect.ts';
import { monitoringCommand } from './monitoring.ts';
import { nodeCommand } from './node.ts';
import { pathfindingCommand } from './pathfinding.ts';
import { replicaCommand } from './replica.ts';
import { simulateCommand } from './simulate.ts';
import { FATAL, uncaught } from './uncaught.ts';
import { version } from './version.ts';

const program = new Command('sluice')
  .description('a payment-channel node: deposit ERC-20 tokens, pay off chain, settle on chain')
  .version(version())
  // A subcommand may have an option of the same name as its parent command.
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
  .addCommand(replicaCommand())
  .addCommand(exportCommand())
  .addCommand(contractsCommand())
  .addCommand(accountCommand());

/** Makes every refused command line end with code 2, because 1 says that the command itself failed. */
function endStrictly(command: Command): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  for (const one of command.commands) endStrictly(one);
}

endStrictly(program);
process.on('uncaughtException', uncaught);

try {
  await program.parseAsync();
} catch (error) {
  uncaught(error);
  process.exit(FATAL);
}
