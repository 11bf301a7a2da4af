/** The options of `sluice paywall`. */
import type { Address } from '../../basics/hex.ts';
import { LOG_JSON, LOG_LEVEL } from './node-settings.ts';
import { defaulting, optional, type Read, repeatable, required } from './settings.ts';
import {
  address,
  hostAndPort,
  httpUrl,
  perToken,
  plainUrl,
  port,
  text,
  wholeNumber,
} from './values.ts';

const UPSTREAM = required(
  '--upstream <url>',
  'the server that is sold, such as http://127.0.0.1:3000',
  plainUrl,
);
const PRICE = repeatable(
  '--price <rule>',
  'what calls cost: "[METHOD] PATH AMOUNT TOKEN" in whole tokens, or "[METHOD] PATH free"; several times',
  text,
);
const PRICES = optional('--prices <file>', 'file with such rules, one a line', text);
export const NODE = defaulting(
  '--node <url>',
  'the API of the node',
  plainUrl,
  'http://127.0.0.1:5001',
);
export const TOKEN_FILE = optional('--token-file <file>', 'file with a token of its API', text);
const PAY_TO = optional(
  '--pay-to <address>',
  'the address of the node (default: the node is asked, which a token of the scope receive may not)',
  address,
);
const DECIMALS = optional(
  '--decimals <list>',
  'the decimals of tokens, such as 0x…=18 (default: the node is asked)',
  perToken(77n),
);
const ADDRESS = defaulting(
  '--address <host:port>',
  'where it takes calls; port 0 takes a free one',
  hostAndPort,
  '127.0.0.1:0',
);
const PUBLIC_URL = optional(
  '--public-url <url>',
  'how clients reach it, behind another proxy',
  httpUrl,
);
const OFFER_SECONDS = defaulting(
  '--offer-seconds <n>',
  'how long an offer can be paid',
  wholeNumber(10, 3_600),
  '60',
);
const KEY_FILE = optional(
  '--key-file <file>',
  'the key of its offers, made when there is none (default: paywall.key in the folder for data)',
  text,
);
const METRICS_PORT = optional(
  '--metrics-port <port>',
  'serve metrics for Prometheus on 127.0.0.1',
  port,
);

export const PAYWALL_SETTINGS = [
  UPSTREAM,
  PRICE,
  PRICES,
  NODE,
  TOKEN_FILE,
  PAY_TO,
  DECIMALS,
  ADDRESS,
  PUBLIC_URL,
  OFFER_SECONDS,
  KEY_FILE,
  METRICS_PORT,
  LOG_LEVEL,
  LOG_JSON,
];

export type PaywallChoices = ReturnType<typeof paywallChoicesOf>;

export function paywallChoicesOf(read: Read) {
  return {
    upstream: read(UPSTREAM),
    price: read(PRICE),
    prices: read(PRICES),
    node: read(NODE),
    tokenFile: read(TOKEN_FILE),
    payTo: read(PAY_TO),
    decimals: read(DECIMALS) ?? new Map<Address, bigint>(),
    address: read(ADDRESS),
    publicUrl: read(PUBLIC_URL),
    offerSeconds: read(OFFER_SECONDS),
    keyFile: read(KEY_FILE),
    metricsPort: read(METRICS_PORT),
    log: { level: read(LOG_LEVEL), isJson: read(LOG_JSON) },
  };
}
