/** The options of `sluice paywall`. */
import * as v from 'valibot';
import { NODE_OPTIONS } from './node-options.ts';
import { defaulting, flag, list, optional, repeatable, required, type Values } from './settings.ts';
import {
  address,
  hostAndPort,
  httpUrl,
  natsUrl,
  originsOrAll,
  perToken,
  plainUrl,
  port,
  rules,
  seconds,
  streamName,
  text,
  texts,
  wholeNumber,
} from './values.ts';

export const PAYWALL_OPTIONS = {
  upstream: required(
    '--upstream <url>',
    'the server that is sold, such as http://127.0.0.1:3000',
    plainUrl,
  ),
  price: repeatable(
    '--price <rule>',
    'what calls cost: "[METHOD] PATH AMOUNT TOKEN [TERMS]" in whole tokens, "[METHOD] PATH free", ' +
      'or by use "[METHOD] PATH [AMOUNT per byte|event|token] up to MOST TOKEN", or asked for with --price-from; several times',
    rules,
  ),
  prices: optional('--prices <file>', 'file with such rules, one a line', text),
  priceFrom: optional(
    '--price-from <url>',
    'your server that says what a call costs, for rules such as "GET /v1/* asked up to 0.01 TOKEN"',
    plainUrl,
  ),
  node: defaulting('--node <url>', 'the API of the node', plainUrl, 'http://127.0.0.1:5001'),
  tokenFile: optional('--token-file <file>', 'file with a token of its API', text),
  payTo: optional(
    '--pay-to <address>',
    'the address of the node (default: the node is asked, which a token of the scope receive may not)',
    address,
  ),
  decimals: optional(
    '--decimals <list>',
    'the decimals of tokens, such as 0x…=18 (default: the node is asked)',
    perToken(77n),
  ),
  address: defaulting(
    '--address <host:port>',
    'where it takes calls; port 0 takes a free one',
    hostAndPort,
    '127.0.0.1:0',
  ),
  publicUrl: optional('--public-url <url>', 'how clients reach it, behind another proxy', httpUrl),
  origins: list(
    '--cors <origins>',
    'comma list of origins whose web pages may buy, or * for all (default: none)',
    originsOrAll,
  ),
  offerSeconds: defaulting(
    '--offer-seconds <n>',
    'how long an offer can be paid',
    wholeNumber(10, 3_600),
    '60',
  ),
  tab: repeatable(
    '--tab <terms>',
    'buyers may pay ahead: "LEAST MOST TOKEN" in whole tokens, for one payment and on one tab; once for each token',
    texts,
  ),
  tabFile: optional(
    '--tab-file <file>',
    'the database of the tabs (default: paywall-tabs.db in the folder for data)',
    text,
  ),
  tabIdle: defaulting(
    '--tab-idle <seconds>',
    'after how long without a call the rest of a tab is paid back',
    wholeNumber(60, 30 * 86_400),
    '3600',
  ),
  nats: optional('--nats <url>', 'message broker with JetStream, for --replicate', natsUrl),
  brokerFiles: NODE_OPTIONS.brokerFiles,
  stream: optional(
    '--replicate <stream>',
    'stream at the broker that gets every commit of the tabs before anything follows from it; "sluice replica create" makes it (default: none)',
    streamName,
  ),
  leaveStream: NODE_OPTIONS.leaveStream,
  standby: {
    isStandby: flag(
      '--standby',
      'follow the stream of --replicate, and sell in the place of the paywall that writes it when that is silent',
    ),
    takeoverAfterMs: defaulting(
      '--takeover-after <seconds>',
      'with --standby: after so many seconds without a sign of the other paywall, at least 3',
      v.pipe(
        seconds(3),
        v.transform((given) => given * 1_000),
      ),
      '10',
    ),
  },
  keyFile: optional(
    '--key-file <file>',
    'the key of its offers, made when there is none (default: paywall.key in the folder for data)',
    text,
  ),
  metricsPort: optional('--metrics-port <port>', 'serve metrics for Prometheus on 127.0.0.1', port),
  log: NODE_OPTIONS.log,
};

export type PaywallOptions = Values<typeof PAYWALL_OPTIONS>;
