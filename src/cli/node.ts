/** `sluice node`: its options. */
import type { Command } from 'commander';
import { type Fault, noFault } from '../basics/fault.ts';
import { killAt } from '../node/runtime/commits/fault.ts';
import { BROKER_SETTINGS } from './options/broker-access.ts';
import { ADDRESS, KEYSTORE_PATH, PASSWORD_FILE } from './options/key-choice.ts';
import { MEDIATION_SETTINGS } from './options/mediation.ts';
import { choicesOf } from './options/node-choices.ts';
import * as settings from './options/node-settings.ts';
import { declare, readerOf, usageError } from './options/settings.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';
import { session } from './process/session.ts';

export const NODE_SETTINGS = [
  settings.ETH_RPC_ENDPOINT,
  settings.CONTRACTS,
  settings.NETWORK_ID,
  KEYSTORE_PATH,
  ADDRESS,
  PASSWORD_FILE,
  settings.DATABASE,
  settings.ACCEPT_DATABASE,
  settings.MIN_FREE_DISK,
  settings.KEEP_HISTORY,
  settings.ACCEPT_CHAIN,
  settings.NATS,
  ...BROKER_SETTINGS,
  settings.REPLICATE,
  settings.REPLICATE_MODE,
  settings.LEAVE_STREAM,
  settings.STANDBY,
  settings.TAKEOVER_AFTER,
  settings.API_ADDRESS,
  settings.API_TOKEN_FILE,
  settings.API_CONCURRENCY,
  settings.API_QUEUE_SECONDS,
  settings.CONCURRENT_READS,
  settings.API_HOSTS,
  settings.RPC_CORS_DOMAIN,
  settings.RPC_PASSTHROUGH,
  settings.WEB_UI,
  settings.INSPECTOR,
  settings.NAMES,
  settings.EXPLORER,
  settings.STATELY_INSPECT,
  settings.SETTLE_TIMEOUT,
  settings.REVEAL_TIMEOUT,
  settings.CONFIRMATIONS,
  settings.POLL_INTERVAL,
  settings.ENVIRONMENT_TYPE,
  settings.PATHFINDING_SERVICE_ADDRESS,
  ...MEDIATION_SETTINGS,
  settings.RELEASE_FEED,
  settings.WEBHOOK,
  settings.WEBHOOK_SECRET_FILE,
  settings.LOG_LEVEL,
  settings.LOG_JSON,
];

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
