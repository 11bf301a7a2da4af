#!/usr/bin/env node
/** The program `sluice`. */
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { accountCommand } from './account.ts';
import { contractsCommand } from './contracts.ts';
import { devnetCommand } from './devnet.ts';
import { nodeCommand } from './node.ts';
import { version } from './version.ts';

await new Command('sluice')
  .description('a payment-channel node: deposit ERC-20 tokens, pay off chain, settle on chain')
  .version(version())
  .addCommand(nodeCommand())
  .addCommand(devnetCommand(fileURLToPath(import.meta.url)))
  .addCommand(contractsCommand())
  .addCommand(accountCommand())
  .parseAsync();
