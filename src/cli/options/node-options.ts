/** The options of `sluice node`, in the order of its help. Other commands take some of them. */

import * as v from 'valibot';
import { MAX_UINT64, MAX_UINT256 } from '../../basics/amount.ts';
import { QUEUE_SECONDS } from '../../http/queue/gate.ts';
import { MAX_IMBALANCE_PPM } from '../../protocol/fees/fee-curve.ts';
import { MAX_PROPORTIONAL_PPM } from '../../protocol/fees/fees.ts';
import { BROKER_FILES } from './broker-options.ts';
import {
  defaulting,
  defaultingFlag,
  flag,
  list,
  optional,
  paired,
  repeatable,
  required,
  type Values,
} from './settings.ts';
import * as values from './values.ts';

/** The values of a timeout in blocks; a longer one makes no sense on any chain. */
export const BLOCKS = values.bigNumber(1n, 10_000_000n);

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export const NODE_OPTIONS = {
  rpcUrl: required('--eth-rpc-endpoint <url>', 'JSON-RPC endpoint of the chain', values.httpUrl),
  contractsFile: required(
    '--contracts <file>',
    'JSON file of contract addresses, as "sluice contracts deploy" writes it',
    values.text,
  ),
  networkId: optional(
    '--network-id <id>',
    'refuse to start when the chain has another id',
    values.bigNumber(1n, MAX_UINT64),
  ),
  key: {
    keystorePath: optional(
      '--keystore-path <dir>',
      'folder of encrypted keys (default: "keystore" in the data folder of this user)',
      values.text,
    ),
    address: optional(
      '--address <address>',
      'which key of the keystore; may be left out when there is only one',
      values.address,
    ),
    passwordFile: optional(
      '--password-file <file>',
      'file with the password of the key (default: ask on the terminal)',
      values.text,
    ),
  },
  database: optional(
    '--database <url>',
    'file:/path/to/node.db (default: a file in the data folder of this user)',
    values.text,
  ),
  acceptedDatabase: optional(
    '--accept-database <code>',
    'go on with an old copy of the database, by the code of the refusal; its channels are frozen',
    values.text,
  ),
  minFreeBytes: defaulting(
    '--min-free-disk <mb>',
    'megabytes on the disk of the database below which no payment is made or taken; a quarter of them is kept in a reserve file; 0: none',
    v.pipe(
      values.wholeNumber(0, 1_000_000),
      v.transform((megabytes) => megabytes * 1_000_000),
    ),
    '64',
  ),
  keepHistoryMs: optional(
    '--keep-history <duration>',
    'delete payments and the logs of channels that are gone after so long: 36h, 90d, 2y (default: never)',
    values.longDuration,
  ),
  acceptedChain: optional(
    '--accept-chain <code>',
    'go on where the chain replaced confirmed blocks, by the code that the node told; channels of which it lost something are frozen',
    values.text,
  ),
  nats: optional(
    '--nats <url>',
    'message broker (default: none, and then nobody outside of this process can be paid)',
    values.natsUrl,
  ),
  brokerFiles: BROKER_FILES,
  replica: {
    stream: optional(
      '--replicate <stream>',
      'stream at the broker that gets every commit before anything follows from it; "sluice replica create" makes it (default: none)',
      values.streamName,
    ),
    mode: defaulting(
      '--replicate-mode <mode>',
      'sync waits for the stream, and takes no payments while it is away; async goes on, and a takeover then loses the newest payments',
      values.oneOf(['sync', 'async']),
      'sync',
    ),
  },
  leaveStream: optional(
    '--leave-stream <code>',
    'run without --replicate from now on, by the code of the refusal',
    values.text,
  ),
  standby: {
    isStandby: flag(
      '--standby',
      'follow the stream of --replicate, and take the place of the node that writes it when it is told to',
    ),
    takeoverAfterMs: optional(
      '--takeover-after <seconds>',
      'with --standby: take over by itself after so many seconds without a sign of the other node, at least 3 (default: never)',
      v.pipe(
        values.seconds(3),
        v.transform((seconds) => seconds * 1_000),
      ),
    ),
  },
  apiAddress: defaulting(
    '--api-address <host:port>',
    'where the API listens, or unix:PATH for a socket; anything but loopback needs --api-token-file',
    values.hostAndPort,
    '127.0.0.1:5001',
  ),
  apiTokenFile: optional(
    '--api-token-file <file>',
    'file with bearer tokens, one of which every API call must carry (default: none)',
    values.text,
  ),
  apiLimits: {
    concurrency: defaulting(
      '--api-concurrency <n>',
      'API calls that may be in progress at once',
      values.wholeNumber(1, 10_000),
      '1',
    ),
    queueSeconds: defaulting(
      '--api-queue-seconds <seconds>',
      'how long an API call may wait for its turn: longer ones are answered 503 at once',
      values.wholeNumber(1, 3_600),
      String(QUEUE_SECONDS),
    ),
    concurrentReads: flag(
      '--concurrent-reads',
      'answer GET at once, not in order with the calls before it',
    ),
    allowedHosts: list(
      '--api-hosts <names>',
      'comma list of further host names or addresses under which the API is reached (default: none)',
      values.hosts,
    ),
    origins: list(
      '--rpccorsdomain <origins>',
      'comma list of origins whose web pages may call the API, e.g. http://localhost:* (default: none)',
      values.origins,
    ),
  },
  rpcMethods: optional(
    '--rpc-passthrough [methods]',
    'POST /rpc passes JSON-RPC on to the chain: methods that only read, and those of this comma list',
    values.rpcMethods,
  ),
  webUi: optional(
    '--web-ui <dir>',
    'folder of a web page that is served under /ui/ (default: none)',
    values.text,
  ),
  hasInspector: defaultingFlag(
    '--inspector',
    'serve the inspector under /inspector/: live state charts of channels and payments (default)',
  ),
  hasWallet: flag(
    '--wallet',
    'serve a wallet under /wallet/: a page to pay, be paid and manage channels',
  ),
  namesFile: optional(
    '--names <file>',
    'JSON file of names that the inspector and the wallet show for addresses, {"bob": "0x…"} (default: none)',
    values.text,
  ),
  explorer: optional(
    '--explorer <url>',
    'where the inspector links a transaction to, {hash} for its hash, such as https://etherscan.io/tx/{hash} (default: none)',
    values.explorerUrl,
  ),
  statelyPort: optional(
    '--stately-inspect [port]',
    'WebSocket on 127.0.0.1 for clients of @statelyai/inspect (port: 8080; default: none)',
    values.portOr(8080),
  ),
  defaultSettleTimeout: defaulting(
    '--default-settle-timeout <blocks>',
    'settle timeout of channels that are opened without one',
    BLOCKS,
    '500',
  ),
  defaultRevealTimeout: defaulting(
    '--default-reveal-timeout <blocks>',
    'reveal timeout of channels that are opened without one',
    BLOCKS,
    '50',
  ),
  confirmations: defaulting(
    '--confirmations <blocks>',
    'blocks on top of one before it counts',
    values.bigNumber(0n, 10_000n),
    '5',
  ),
  pollIntervalMs: defaulting(
    '--poll-interval <ms>',
    'milliseconds between two looks at the head of the chain',
    values.wholeNumber(10, 60_000),
    '1000',
  ),
  environmentType: defaulting(
    '--environment-type <type>',
    'development or production; production registers no tokens',
    values.oneOf(['development', 'production']),
    'development',
  ),
  pathfindingServiceAddress: optional(
    '--pathfinding-service-address <url>',
    'path-finding service that is asked for routes and peers, and that clients of the API are told of',
    values.plainUrl,
  ),
  routingMode: optional(
    '--routing-mode <mode>',
    'pfs asks the path-finding service, local finds routes itself (default: pfs when there is one)',
    values.oneOf(['pfs', 'local']),
  ),
  hasRoutingFallback: defaultingFlag(
    '--routing-fallback',
    'find routes on an own copy of the network while the path-finding service is no help (default)',
  ),
  fees: {
    flat: paired(
      '--flat-fee <token> <amount...>',
      'units that mediating a payment of this token costs; for several tokens several times (default: 0)',
      values.perToken(MAX_UINT256),
    ),
    proportional: paired(
      '--proportional-fee <token> <ppm...>',
      'parts per million of the mediated amount (default: 4000, which is 0.4 %)',
      values.perToken(MAX_PROPORTIONAL_PPM),
    ),
    imbalance: paired(
      '--proportional-imbalance-fee <token> <ppm...>',
      'parts per million of a capacity, for making a channel lean to one side (default: 3000)',
      values.perToken(MAX_IMBALANCE_PPM),
    ),
    capFees: defaultingFlag(
      '--cap-mediation-fees',
      'never pay for mediating, however much it evens out a channel (default)',
    ),
  },
  tokenValues: paired(
    '--token-value <token> <wei...>',
    'wei that 10^18 of the smallest units are worth: nothing is promised for locks that are not worth their gas (default: not known)',
    values.perToken(MAX_UINT256),
  ),
  monitoring: {
    isEnabled: flag(
      '--enable-monitoring',
      'ask monitoring services to look after the channels; the user deposit pays them',
    ),
    reward: defaulting(
      '--monitoring-reward <units>',
      'units of the service token that a monitoring service gets when it had to help',
      values.bigNumber(1n, MAX_UINT256),
      String(80n * 10n ** 18n),
    ),
  },
  releaseFeed: optional(
    '--release-feed <url>',
    'URL that answers {"version":"1.2.3","security":false} (default: none, and nobody is asked)',
    values.plainUrl,
  ),
  webhook: {
    urls: repeatable(
      '--webhook <url>',
      'POST every event of the node to this URL, signed; may be given several times (default: none)',
      values.plainUrls,
    ),
    secretFile: optional(
      '--webhook-secret-file <file>',
      'file with the secret that receivers of --webhook check signatures with',
      values.text,
    ),
  },
  log: {
    level: defaulting(
      '--log-level <level>',
      `one of ${LOG_LEVELS.join(', ')}`,
      values.oneOf(LOG_LEVELS),
      'info',
    ),
    isJson: flag('--log-json', 'write the log as JSON, one object a line'),
  },
};

export type NodeOptions = Values<typeof NODE_OPTIONS>;
/** The options that choose a key; null when an option was not given. */
export type KeyChoice = NodeOptions['key'];
