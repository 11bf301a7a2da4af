/**
 * The commands: for the help, their options, and what they do. That is imported when a command is called and its options are
 * read, so that help and usage errors wait for no library.
 */
import { Command, Option } from 'commander';
import { type Fault, noFault } from '../basics/fault.ts';
import { killAt } from '../node/runtime/commits/fault.ts';
import type { RegistrationChoices } from '../services/base/registration.ts';
import { DEPLOY_OPTIONS, TOKEN_OPTIONS } from './options/contracts.ts';
import { BACKUP_OPTIONS, EXPORT_OPTIONS, JSON_OUTPUT } from './options/database.ts';
import { DEVNET_OPTIONS } from './options/devnet.ts';
import { FETCH_OPTIONS } from './options/fetch.ts';
import { INSPECT_OPTIONS } from './options/inspect.ts';
import { NODE_OPTIONS } from './options/node-options.ts';
import { PAYWALL_OPTIONS } from './options/paywall.ts';
import {
  CREATE_OPTIONS,
  READER_OPTIONS,
  RENEW_OPTIONS,
  RESTORE_OPTIONS,
  type ReaderChoice,
} from './options/replica.ts';
import { MONITORING_OPTIONS, PATHFINDING_OPTIONS } from './options/services.ts';
import {
  actWith,
  type HandedOn,
  type Nothing,
  usageError,
  type Values,
} from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';
import { session } from './process/session.ts';
import { simulateCommand } from './simulate/commands.ts';

/** In the order of the help. `main`: the file with which this program was started. */
export function commandsOf(main: string): Command[] {
  return [
    ...[nodeCommand(), echoCommand(), pathfindingCommand(), devnetCommand(main)],
    ...[monitoringCommand(), inspectCommand(), paywallCommand(), fetchCommand()],
    ...[simulateCommand(main), doctorCommand(), backupCommand(), replicaCommand()],
    ...[exportCommand(), contractsCommand(), accountCommand()],
  ];
}

function nodeCommand(): Command {
  const command = new LateCommand('node').description('run one node');
  return actWith(command, NODE_OPTIONS, async (options) => {
    const fault = faultOf(command);
    return (await import('./run/node.ts')).runNode(options, fault);
  });
}

/** In the node's own process, because a key must not run twice. */
function echoCommand(): Command {
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

/** For crash tests: the process kills itself at the point that the environment variable names. */
function faultOf(command: Command): Fault {
  const given = session().environment['SLUICE_CRASH_AT'];
  if (given === undefined) return noFault;
  return killAt(given) ?? usageError(command, 'SLUICE_CRASH_AT must be POINT:NUMBER');
}

function pathfindingCommand(): Command {
  const command = new LateCommand('pathfinding').description('run a path-finding service');
  return actWith(command, PATHFINDING_OPTIONS, async (options) => {
    const { shared, apiAddress, allowedHosts, origins, registration, ...rest } = options;
    const { price, leastClaim, ...left } = rest;
    left satisfies Nothing;
    registration satisfies HandedOn<typeof registration, RegistrationChoices>;
    const own = { api: { ...apiAddress, allowedHosts, origins }, price, leastClaim };
    const { runService } = await import('./run/service.ts');
    const { openPathfinding } = await import('../host/services/open-pathfinding.ts');
    return runService(shared, (config, hooks) =>
      openPathfinding({ ...config, ...own, ...registration }, hooks),
    );
  });
}

function devnetCommand(main: string): Command {
  const command = new LateCommand('devnet').description(
    'run a chain, contracts, a message broker and nodes, ready to pay',
  );
  return actWith(command, DEVNET_OPTIONS, async (options) =>
    (await import('./run/devnet.ts')).runDevnet(options, main),
  );
}

function monitoringCommand(): Command {
  const command = new LateCommand('monitoring').description(
    'bring the balance proofs of nodes that are off on chain when their partner closes, for a reward',
  );
  return actWith(command, MONITORING_OPTIONS, async (options) => {
    const { shared, minReward, apiAddress, allowedHosts, registration, ...left } = options;
    left satisfies Nothing;
    registration satisfies HandedOn<typeof registration, RegistrationChoices>;
    const api = apiAddress === null ? null : { ...apiAddress, allowedHosts };
    const fault = faultOf(command);
    const { runService } = await import('./run/service.ts');
    const { openMonitoring } = await import('../host/services/open-monitoring.ts');
    return runService(
      shared,
      (config, hooks) => openMonitoring({ ...config, minReward, api, ...registration }, hooks),
      fault,
    );
  });
}

function inspectCommand(): Command {
  const command = new LateCommand('inspect')
    .description(
      'watch the channels and payments of a running node, or one of them, as state charts',
    )
    .argument('<url>', "the node's API, e.g. http://127.0.0.1:5001")
    .argument(
      '[actor]',
      'an actor by its id, the beginning of it, or the identifier of its payment',
    );
  return actWith(command, INSPECT_OPTIONS, async (options, url: string, actor?: string) =>
    (await import('./run/inspect.ts')).inspect(url, actor ?? null, options),
  );
}

function paywallCommand(): Command {
  const command = new LateCommand('paywall').description(
    'sell the calls of a server: a reverse proxy that a client pays over channels (x402)',
  );
  return actWith(command, PAYWALL_OPTIONS, async (options) =>
    (await import('./run/paywall.ts')).runPaywall(options),
  );
}

function fetchCommand(): Command {
  const command = new LateCommand('fetch')
    .description('ask for a URL that may cost something, and pay for it over channels (x402)')
    .argument('<url>', 'what to ask for')
    .addOption(
      new Option(
        '-H, --header <line>',
        'a header, such as "Accept: text/plain"; several times',
      ).argParser((line: string, before: string[] | undefined) => [...(before ?? []), line]),
    );
  return actWith(command, FETCH_OPTIONS, async (options, url: string) => {
    const { header = [] }: { header?: string[] } = command.opts();
    return (await import('./run/fetch.ts')).fetchPaid(url, header, options);
  });
}

function doctorCommand(): Command {
  const command = new LateCommand('doctor').description(
    'check all that a node with these options needs; changes nothing, also beside a running node',
  );
  const options = { node: NODE_OPTIONS, isJson: JSON_OUTPUT };
  return actWith(command, options, async ({ node, isJson }) =>
    (await import('./run/doctor.ts')).runDoctor(node, isJson),
  );
}

// The commands from here on accept a node's other options, so that its file of options can be given to them, too.

function backupCommand(): Command {
  const command = new LateCommand('backup').description(
    'copy the database of a node, which may be running, into a file',
  );
  const work = async (options: Values<typeof BACKUP_OPTIONS>) =>
    (await import('./run/backup.ts')).runBackup(options);
  return actWith(command, BACKUP_OPTIONS, work, NODE_OPTIONS);
}

function exportCommand(): Command {
  const payments = new LateCommand('payments').description(
    'write the payment history to standard output, oldest first, in the words of the API',
  );
  const work = async (options: Values<typeof EXPORT_OPTIONS>) =>
    (await import('./run/export.ts')).runExport(options);
  return new Command('export')
    .description('write what a node, which may be running, has stored')
    .addCommand(actWith(payments, EXPORT_OPTIONS, work, NODE_OPTIONS));
}

function replicaCommand(): Command {
  const create = new LateCommand('create').description('make the stream at the broker');
  const makeStream = async (options: Values<typeof CREATE_OPTIONS>) =>
    (await import('./run/replica.ts')).create(options);
  const status = new LateCommand('status').description(
    'how far the node and its standbys have come',
  );
  const tellStatus = async (reader: ReaderChoice) =>
    (await import('./run/replica.ts')).status(reader);
  const takeover = new LateCommand('takeover').description(
    'let a standby take the place of the node',
  );
  const takeOver = async (reader: ReaderChoice) =>
    (await import('./run/replica.ts')).takeover(reader);
  const renew = new LateCommand('renew').description(
    'begin the stream anew when the broker has lost it',
  );
  const makeAnew = async (options: Values<typeof RENEW_OPTIONS>) =>
    (await import('./run/replica.ts')).renew(options);
  const restore = new LateCommand('restore').description(
    'build the database of the node from the stream',
  );
  const rebuild = async (options: Values<typeof RESTORE_OPTIONS>) =>
    (await import('./run/replica.ts')).restoreDatabase(options);
  return new Command('replica')
    .description('the stream to which the database of a node is replicated')
    .addCommand(actWith(create, CREATE_OPTIONS, makeStream, NODE_OPTIONS))
    .addCommand(actWith(status, READER_OPTIONS, tellStatus, NODE_OPTIONS))
    .addCommand(actWith(takeover, READER_OPTIONS, takeOver, NODE_OPTIONS))
    .addCommand(actWith(renew, RENEW_OPTIONS, makeAnew, NODE_OPTIONS))
    .addCommand(actWith(restore, RESTORE_OPTIONS, rebuild, NODE_OPTIONS));
}

function contractsCommand(): Command {
  const deploy = new LateCommand('deploy').description(
    'deploy the contracts, print their addresses',
  );
  actWith(deploy, DEPLOY_OPTIONS, async (options) =>
    (await import('./run/contracts.ts')).runDeploy(options),
  );
  const token = new LateCommand('token').description(
    'deploy a token for test networks, of which anybody may make more; print its address',
  );
  actWith(token, TOKEN_OPTIONS, async (options) =>
    (await import('./run/contracts.ts')).runToken(options),
  );
  return new Command('contracts')
    .description('the contracts on the chain')
    .addCommand(deploy)
    .addCommand(token);
}

const { keystorePath, passwordFile } = NODE_OPTIONS.key;
const KEYSTORE = { keystorePath, passwordFile };

function accountCommand(): Command {
  const create = new LateCommand('new').description('make a key');
  actWith(create, KEYSTORE, async (place) => (await import('./run/account.ts')).runNew(place));
  const take = new LateCommand('import')
    .description('take a key over, from a file of 64 hex digits or an encrypted key file')
    .argument('<file>', 'an encrypted (version 3) file keeps its password');
  actWith(take, KEYSTORE, async (place, file: string) =>
    (await import('./run/account.ts')).runImport(place, file),
  );
  return new Command('account')
    .description('encrypted key files')
    .addCommand(create)
    .addCommand(take);
}
