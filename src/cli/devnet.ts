/** `sluice devnet`: runs a whole network on this machine until it is told to stop. */
import { Command } from 'commander';
import { startDevnet } from '../devnet/devnet.ts';
import { SHORT_TIMEOUTS } from '../devnet/first-payment.ts';
import { guideText } from '../devnet/guide.ts';
import { CONFIRMATIONS } from '../devnet/nodes.ts';
import type { DevnetOptions } from '../devnet/options.ts';
import { leastRevealTimeout } from '../protocol/expiration.ts';
import { warning } from '../signer/ecdsa.ts';
import { limitsOf, MAX_TOKEN_NETWORKS, MOST_BLOCKS, SETTLE_TIMEOUT_MAX } from './contracts.ts';
import { createLog, LOG_LEVELS } from './log.ts';
import {
  API_CONCURRENCY,
  API_QUEUE_SECONDS,
  BLOCKS,
  CONCURRENT_READS,
  LOG_JSON,
} from './node-settings.ts';
import { programOf } from './own-program.ts';
import { declare, defaulting, flag, optional, type Read, readerOf } from './settings.ts';
import { deferred, INTERRUPTED, onStopSignal, print, refuse, say } from './terminal.ts';
import { bigNumber, natsUrl, oneOf, port, seconds, text, wholeNumber } from './values.ts';
import { version } from './version.ts';

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
  const command = new Command('devnet').description(
    'run a chain, contracts, a message broker and nodes, ready to pay',
  );
  return declare(command, SETTINGS).action(async () => {
    process.exit(await runDevnet(readerOf(command), main));
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
    readyFile: read(READY_FILE),
  };
}

/** The exit code. */
async function runDevnet(read: Read, main: string): Promise<number> {
  const options = optionsOf(read, main);
  const level = read(LOG_LEVEL);
  const isJson = read(LOG_JSON);
  const slow = warning();
  if (slow !== null) say(slow);
  const ending = deferred<number>();
  let hasEnded = false;
  let page: string | null = null;
  onStopSignal({
    stop: () => {
      say('Stopping everything');
      ending.resolve(0);
    },
    force: () => process.exit(INTERRUPTED),
  });
  const devnet = startDevnet(options, {
    say,
    logOf: (node) => createLog({ level, isJson, fields: { node } }),
    onNodeEnded: (name, reason) => {
      if (hasEnded) return;
      say(`${name} ${reason}; the others go on`);
      if (page !== null) say(`  to start it again: ${startAgain(page, name)}`);
    },
    onTrouble: (reason) => {
      if (!hasEnded) ending.resolve(refuse(`${reason}: stopping everything`));
    },
  });
  devnet.ready.then(
    (ready) => {
      if (hasEnded) return;
      page = ready.inspector;
      print(`${guideText({ ready, ...options })}\n\nReady. Ctrl-C stops everything.`);
    },
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (!hasEnded) ending.resolve(refuse(`the devnet does not start: ${reason}`));
    },
  );
  const code = await ending.promise;
  hasEnded = true;
  await devnet.stop();
  return code;
}

/** The command that starts a node again. `page`: URL of the page that shows all nodes. */
function startAgain(page: string, name: string): string {
  return `curl -X POST ${new URL(`/devnet/nodes/${name}/start`, page)}`;
}
