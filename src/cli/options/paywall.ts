/** The options of `sluice paywall`. */
import { LOG_JSON, LOG_LEVEL } from './node-settings.ts';
import { defaulting, optional, type Read, repeatable, required } from './settings.ts';
import { hostAndPort, httpUrl, plainUrl, port, text, wholeNumber } from './values.ts';

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
  'how long an offer can be paid and used',
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
    address: read(ADDRESS),
    publicUrl: read(PUBLIC_URL),
    offerSeconds: read(OFFER_SECONDS),
    keyFile: read(KEY_FILE),
    metricsPort: read(METRICS_PORT),
    log: { level: read(LOG_LEVEL), isJson: read(LOG_JSON) },
  };
}
