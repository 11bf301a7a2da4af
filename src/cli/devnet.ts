/** `sluice devnet`: runs a whole network on this machine until it is told to stop. */
import type { Command } from 'commander';
import { CONFIRMATIONS } from '../devnet/chain/confirmations.ts';
import { SHORT_TIMEOUTS } from '../devnet/first-payment.ts';
import type { DevnetOptions } from '../devnet/options.ts';
import { leastRevealTimeout } from '../protocol/channel/expiration.ts';
import { limitsOf, MAX_TOKEN_NETWORKS, MOST_BLOCKS, SETTLE_TIMEOUT_MAX } from './contracts.ts';
import {
  API_CONCURRENCY,
  API_QUEUE_SECONDS,
  BLOCKS,
  CONCURRENT_READS,
  LOG_JSON,
  LOG_LEVELS,
} from './options/node-settings.ts';
import { declare, defaulting, flag, optional, type Read, readerOf } from './options/settings.ts';
import { bigNumber, natsUrl, oneOf, port, seconds, text, wholeNumber } from './options/values.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';
import { programOf } from './process/own-program.ts';
import { version } from './process/version.ts';

const NODES = defaulting('--nodes <n>', 'how many nodes', wholeNumber(1, 200), '3');
const API_PORT = defaulting(
  '--api-port <port>',
  'port of the first API, the next free ones for the others; 0 lets the system choose',
  port,
  '5001',
);
const BLOCK_TIME = defaulting('--block-time <seconds>', 'time between two blocks', seconds, '1');
const DATA = optional(
  '--data <dir>',
  'empty folder for databases, kept at the end (default: a temporary one)',
  text,
);
const NATS = optional(
  '--nats <url>',
  'message broker (default: a nats-server of its own when one is installed)',
  natsUrl,
);
const PROCESSES = flag('--processes', 'run every node in a process of its own');
const OPEN = flag('--open', 'open channels in a line and make a first payment');
const NO_SERVICES = flag(
  '--no-services',
  'run the nodes alone, without path-finding, monitoring and an echo node',
);
const PAYWALL = flag('--paywall', 'sell a small API by the call, to be bought with "sluice fetch"');
const READY_FILE = optional(
  '--ready-file <file>',
  'write what runs where as JSON when everything is ready',
  text,
);
const LOG_LEVEL = defaulting(
  '--log-level <level>',
  `of the nodes: one of ${LOG_LEVELS.join(', ')}`,
  oneOf(LOG_LEVELS),
  'warn',
);

/** The default is as short as the few confirmations of a devnet allow. */
const SETTLE_TIMEOUT_MIN = defaulting(
  '--settle-timeout-min <blocks>',
  'shortest settle timeout of a channel',
  bigNumber(1n, MOST_BLOCKS),
  String(2n * leastRevealTimeout(CONFIRMATIONS)),
);
const SETTLE_TIMEOUT = optional(
  '--default-settle-timeout <blocks>',
  'settle timeout of channels that are opened without one (default: 500; 20 with --open)',
  BLOCKS,
);
const REVEAL_TIMEOUT = optional(
  '--default-reveal-timeout <blocks>',
  'reveal timeout of the nodes: at most half the settle timeout (default: 10)',
  BLOCKS,
);

const SETTINGS = [
  NODES,
  API_PORT,
  BLOCK_TIME,
  DATA,
  NATS,
  PROCESSES,
  OPEN,
  READY_FILE,
  API_CONCURRENCY,
  API_QUEUE_SECONDS,
  CONCURRENT_READS,
  NO_SERVICES,
  PAYWALL,
  SETTLE_TIMEOUT,
  REVEAL_TIMEOUT,
  MAX_TOKEN_NETWORKS,
  SETTLE_TIMEOUT_MIN,
  SETTLE_TIMEOUT_MAX,
  LOG_LEVEL,
  LOG_JSON,
];

/** `main`: the file with which this program was started. */
export function devnetCommand(main: string): Command {
  const command = new LateCommand('devnet').description(
    'run a chain, contracts, a message broker and nodes, ready to pay',
  );
  return act(declare(command, SETTINGS), async () => {
    const read = readerOf(command);
    const options = optionsOf(read, main);
    const log = { level: read(LOG_LEVEL), isJson: read(LOG_JSON) };
    const { runDevnet } = await import('./run/devnet.ts');
    return runDevnet(options, log);
  });
}

function optionsOf(read: Read, main: string): DevnetOptions {
  const settleTimeout = read(SETTLE_TIMEOUT);
  const revealTimeout = read(REVEAL_TIMEOUT);
  const isChosen = settleTimeout !== null || revealTimeout !== null;
  return {
    version: version(),
    nodes: read(NODES),
    apiPort: read(API_PORT),
    apiConcurrency: read(API_CONCURRENCY),
    apiQueueSeconds: read(API_QUEUE_SECONDS),
    concurrentReads: read(CONCURRENT_READS),
    settleTimeout: settleTimeout ?? 500n,
    revealTimeout: revealTimeout ?? 10n,
    openTimeouts: isChosen ? {} : SHORT_TIMEOUTS,
    blockTime: read(BLOCK_TIME),
    data: read(DATA),
    nats: read(NATS),
    contracts: { ...limitsOf(read), settleTimeoutMin: read(SETTLE_TIMEOUT_MIN) },
    program: read(PROCESSES) ? programOf(main) : null,
    hasGates: true,
    isOpen: read(OPEN),
    hasServices: !read(NO_SERVICES),
    hasPaywall: read(PAYWALL),
    readyFile: read(READY_FILE),
  };
}
