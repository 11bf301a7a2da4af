/** The options of `sluice devnet`. */
import { CONFIRMATIONS } from '../../devnet/chain/confirmations.ts';
import { leastRevealTimeout } from '../../protocol/channel/expiration.ts';
import { CONTRACT_LIMITS } from './contracts.ts';
import { BLOCKS, LOG_LEVELS, NODE_OPTIONS } from './node-options.ts';
import { defaulting, flag, optional, type Values } from './settings.ts';
import { natsUrl, port, seconds, text, wholeNumber } from './values.ts';

const { apiLimits, log } = NODE_OPTIONS;

export const DEVNET_OPTIONS = {
  nodes: defaulting('--nodes <n>', 'how many nodes', wholeNumber(1, 200), '3'),
  apiPort: defaulting(
    '--api-port <port>',
    'port of the first API, the next free ones for the others; 0 lets the system choose',
    port,
    '5001',
  ),
  blockTime: defaulting('--block-time <seconds>', 'time between two blocks', seconds(0.05), '1'),
  data: optional(
    '--data <dir>',
    'empty folder for databases, kept at the end (default: a temporary one)',
    text,
  ),
  nats: optional(
    '--nats <url>',
    'message broker (default: a nats-server of its own when one is installed)',
    natsUrl,
  ),
  networkFile: optional(
    '--network <file>',
    'nodes, channels and timeouts of a network that the page has saved',
    text,
  ),
  hasProcesses: flag('--processes', 'run every node in a process of its own'),
  isOpen: flag('--open', 'open channels in a line and make a first payment'),
  readyFile: optional(
    '--ready-file <file>',
    'write what runs where as JSON when everything is ready',
    text,
  ),
  apiConcurrency: apiLimits.concurrency,
  apiQueueSeconds: apiLimits.queueSeconds,
  concurrentReads: apiLimits.concurrentReads,
  hasNoServices: flag(
    '--no-services',
    'run the nodes alone, without path-finding, monitoring and an echo node',
  ),
  hasPaywall: flag('--paywall', 'sell a small API by the call, to be bought with "sluice fetch"'),
  givenSettleTimeout: optional(
    '--default-settle-timeout <blocks>',
    'settle timeout of channels that are opened without one (default: 20, or two reveal timeouts)',
    BLOCKS,
  ),
  givenRevealTimeout: optional(
    '--default-reveal-timeout <blocks>',
    'reveal timeout of the nodes: at most half the settle timeout (default: 10, or that half)',
    BLOCKS,
  ),
  contracts: {
    ...CONTRACT_LIMITS,
    /** The default is as short as the few confirmations of a devnet allow. */
    settleTimeoutMin: {
      ...CONTRACT_LIMITS.settleTimeoutMin,
      absent: { text: String(2n * leastRevealTimeout(CONFIRMATIONS)) },
    },
  },
  log: {
    ...log,
    level: {
      ...log.level,
      description: `of the nodes: one of ${LOG_LEVELS.join(', ')}`,
      absent: { text: 'warn' },
    },
  },
};

export type DevnetChoices = Values<typeof DEVNET_OPTIONS>;
