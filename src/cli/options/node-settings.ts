/** The options of `sluice node`, some of which other commands share. */

import { MAX_UINT64, MAX_UINT256 } from '../../basics/amount.ts';
import { QUEUE_SECONDS } from '../../http/queue/gate.ts';
import { MAX_IMBALANCE_PPM } from '../../protocol/fees/fee-curve.ts';
import { MAX_PROPORTIONAL_PPM } from '../../protocol/fees/fees.ts';
import {
  defaulting,
  defaultingFlag,
  flag,
  optional,
  paired,
  repeatable,
  required,
} from './settings.ts';
import * as values from './values.ts';

/** The values of a timeout in blocks; a longer one makes no sense on any chain. */
export const BLOCKS = values.bigNumber(1n, 10_000_000n);

export const ETH_RPC_ENDPOINT = required(
  '--eth-rpc-endpoint <url>',
  'JSON-RPC endpoint of the chain',
  values.httpUrl,
);
export const CONTRACTS = required(
  '--contracts <file>',
  'JSON file of contract addresses, as "sluice contracts deploy" writes it',
  values.text,
);
export const NATS = optional(
  '--nats <url>',
  'message broker (default: none, and then nobody outside of this process can be paid)',
  values.natsUrl,
);
export const REPLICATE = optional(
  '--replicate <stream>',
  'stream at the broker that gets every commit before anything follows from it; "sluice replica create" makes it (default: none)',
  values.streamName,
);
export const LEAVE_STREAM = optional(
  '--leave-stream <code>',
  'run without --replicate from now on, by the code of the refusal',
  values.text,
);
export const REPLICATE_MODE = defaulting(
  '--replicate-mode <mode>',
  'sync waits for the stream, and takes no payments while it is away; async goes on, and a takeover then loses the newest payments',
  values.oneOf(['sync', 'async']),
  'sync',
);
export const STANDBY = flag(
  '--standby',
  'follow the stream of --replicate, and take the place of the node that writes it when it is told to',
);
export const TAKEOVER_AFTER = optional(
  '--takeover-after <seconds>',
  'with --standby: take over by itself after so many seconds without a sign of the other node, at least 3 (default: never)',
  values.takeoverSeconds,
);
export const DATABASE = optional(
  '--database <url>',
  'file:/path/to/node.db (default: a file in the data folder of this user)',
  values.text,
);
export const MIN_FREE_DISK = defaulting(
  '--min-free-disk <mb>',
  'megabytes on the disk of the database below which no payment is made or taken; a quarter of them is kept in a reserve file; 0: none',
  values.wholeNumber(0, 1_000_000),
  '64',
);
export const KEEP_HISTORY = optional(
  '--keep-history <duration>',
  'delete payments and the logs of channels that are gone after so long: 36h, 90d, 2y (default: never)',
  values.longDuration,
);
export const ACCEPT_DATABASE = optional(
  '--accept-database <code>',
  'go on with an old copy of the database, by the code of the refusal; its channels are frozen',
  values.text,
);
export const ACCEPT_CHAIN = optional(
  '--accept-chain <code>',
  'go on where the chain replaced confirmed blocks, by the code that the node told; channels of which it lost something are frozen',
  values.text,
);
export const API_ADDRESS = defaulting(
  '--api-address <host:port>',
  'where the API listens, or unix:PATH for a socket; anything but loopback needs --api-token-file',
  values.hostAndPort,
  '127.0.0.1:5001',
);
export const API_TOKEN_FILE = optional(
  '--api-token-file <file>',
  'file with bearer tokens, one of which every API call must carry (default: none)',
  values.text,
);
export const API_HOSTS = optional(
  '--api-hosts <names>',
  'comma list of further host names or addresses under which the API is reached (default: none)',
  values.hosts,
);
export const RPC_CORS_DOMAIN = optional(
  '--rpccorsdomain <origins>',
  'comma list of origins whose web pages may call the API, e.g. http://localhost:* (default: none)',
  values.origins,
);
export const RPC_PASSTHROUGH = optional(
  '--rpc-passthrough [methods]',
  'POST /rpc passes JSON-RPC on to the chain: methods that only read, and those of this comma list',
  values.rpcMethods,
);
export const WEB_UI = optional(
  '--web-ui <dir>',
  'folder of a web page that is served under /ui/ (default: none)',
  values.text,
);
export const INSPECTOR = defaultingFlag(
  '--inspector',
  'serve the inspector under /inspector/: live state charts of channels and payments (default)',
);
export const WALLET = flag(
  '--wallet',
  'serve a wallet under /wallet/: a page to pay, be paid and manage channels',
);
export const NAMES = optional(
  '--names <file>',
  'JSON file of names that the inspector and the wallet show for addresses, {"bob": "0x…"} (default: none)',
  values.text,
);
export const EXPLORER = optional(
  '--explorer <url>',
  'where the inspector links a transaction to, {hash} for its hash, such as https://etherscan.io/tx/{hash} (default: none)',
  values.explorerUrl,
);
export const STATELY_INSPECT = optional(
  '--stately-inspect [port]',
  'WebSocket on 127.0.0.1 for clients of @statelyai/inspect (port: 8080; default: none)',
  values.portOr(8080),
);
export const API_CONCURRENCY = defaulting(
  '--api-concurrency <n>',
  'API calls that may be in progress at once',
  values.wholeNumber(1, 10_000),
  '1',
);
export const API_QUEUE_SECONDS = defaulting(
  '--api-queue-seconds <seconds>',
  'how long an API call may wait for its turn: longer ones are answered 503 at once',
  values.wholeNumber(1, 3_600),
  String(QUEUE_SECONDS),
);
export const CONCURRENT_READS = flag(
  '--concurrent-reads',
  'answer GET at once, not in order with the calls before it',
);
export const NETWORK_ID = optional(
  '--network-id <id>',
  'refuse to start when the chain has another id',
  values.bigNumber(1n, MAX_UINT64),
);
export const ENVIRONMENT_TYPE = defaulting(
  '--environment-type <type>',
  'development or production; production registers no tokens',
  values.oneOf(['development', 'production']),
  'development',
);
export const SETTLE_TIMEOUT = defaulting(
  '--default-settle-timeout <blocks>',
  'settle timeout of channels that are opened without one',
  BLOCKS,
  '500',
);
export const REVEAL_TIMEOUT = defaulting(
  '--default-reveal-timeout <blocks>',
  'reveal timeout of channels that are opened without one',
  BLOCKS,
  '50',
);
export const CONFIRMATIONS = defaulting(
  '--confirmations <blocks>',
  'blocks on top of one before it counts',
  values.bigNumber(0n, 10_000n),
  '5',
);
export const POLL_INTERVAL = defaulting(
  '--poll-interval <ms>',
  'milliseconds between two looks at the head of the chain',
  values.wholeNumber(10, 60_000),
  '1000',
);
export const PATHFINDING_SERVICE_ADDRESS = optional(
  '--pathfinding-service-address <url>',
  'path-finding service that is asked for routes and peers, and that clients of the API are told of',
  values.plainUrl,
);
export const ROUTING_MODE = optional(
  '--routing-mode <mode>',
  'pfs asks the path-finding service, local finds routes itself (default: pfs when there is one)',
  values.oneOf(['pfs', 'local']),
);
export const ROUTING_FALLBACK = defaultingFlag(
  '--routing-fallback',
  'find routes on an own copy of the network while the path-finding service is no help (default)',
);
export const FLAT_FEE = paired(
  '--flat-fee <token> <amount...>',
  'units that mediating a payment of this token costs; for several tokens several times (default: 0)',
  values.perToken(MAX_UINT256),
);
export const PROPORTIONAL_FEE = paired(
  '--proportional-fee <token> <ppm...>',
  'parts per million of the mediated amount (default: 4000, which is 0.4 %)',
  values.perToken(MAX_PROPORTIONAL_PPM),
);
export const PROPORTIONAL_IMBALANCE_FEE = paired(
  '--proportional-imbalance-fee <token> <ppm...>',
  'parts per million of a capacity, for making a channel lean to one side (default: 3000)',
  values.perToken(MAX_IMBALANCE_PPM),
);
export const CAP_MEDIATION_FEES = defaultingFlag(
  '--cap-mediation-fees',
  'never pay for mediating, however much it evens out a channel (default)',
);
export const TOKEN_VALUE = paired(
  '--token-value <token> <wei...>',
  'wei that 10^18 of the smallest units are worth: nothing is promised for locks that are not worth their gas (default: not known)',
  values.perToken(MAX_UINT256),
);
export const ENABLE_MONITORING = flag(
  '--enable-monitoring',
  'ask monitoring services to look after the channels; the user deposit pays them',
);
export const MONITORING_REWARD = defaulting(
  '--monitoring-reward <units>',
  'units of the service token that a monitoring service gets when it had to help',
  values.bigNumber(1n, MAX_UINT256),
  String(80n * 10n ** 18n),
);
export const RELEASE_FEED = optional(
  '--release-feed <url>',
  'URL that answers {"version":"1.2.3","security":false} (default: none, and nobody is asked)',
  values.plainUrl,
);
export const WEBHOOK = repeatable(
  '--webhook <url>',
  'POST every event of the node to this URL, signed; may be given several times (default: none)',
  values.plainUrls,
);
export const WEBHOOK_SECRET_FILE = optional(
  '--webhook-secret-file <file>',
  'file with the secret that receivers of --webhook check signatures with',
  values.text,
);
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export const LOG_LEVEL = defaulting(
  '--log-level <level>',
  `one of ${LOG_LEVELS.join(', ')}`,
  values.oneOf(LOG_LEVELS),
  'info',
);
export const LOG_JSON = flag('--log-json', 'write the log as JSON, one object a line');
