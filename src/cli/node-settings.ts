/** The options of `sluice node`, some of which other commands share. */
import { MAX_UINT64 } from '../protocol/amount.ts';
import { LOG_LEVELS } from './log.ts';
import { defaulting, flag, optional, repeatable, required } from './settings.ts';
import * as values from './values.ts';

/** A timeout; larger ones mean nothing on any chain. */
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
export const DATABASE = optional(
  '--database <url>',
  'file:/path/to/node.db (default: a file in the data folder of this user)',
  values.text,
);
export const ACCEPT_DATABASE = optional(
  '--accept-database <code>',
  'go on with an old copy of the database, by the code of the refusal; its channels are frozen',
  values.text,
);
export const API_ADDRESS = defaulting(
  '--api-address <host:port>',
  'where the API listens; anything but loopback needs --api-token-file',
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
export const API_CONCURRENCY = defaulting(
  '--api-concurrency <n>',
  'API calls that may be in progress at once',
  values.wholeNumber(1, 10_000),
  '1',
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
  'path-finding service that clients of the API are told of',
  values.httpUrl,
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
export const LOG_LEVEL = defaulting(
  '--log-level <level>',
  `one of ${LOG_LEVELS.join(', ')}`,
  values.oneOf(LOG_LEVELS),
  'info',
);
export const LOG_JSON = flag('--log-json', 'write the log as JSON, one object a line');
