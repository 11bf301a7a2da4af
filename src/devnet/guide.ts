/** The text that a devnet prints for the person who started it. */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { curlOf } from '../inspector/texts/curl.ts';
import { DEPOSIT, PAYMENT } from './first-payment.ts';
import type { OpenTimeouts } from './options.ts';
import type { ReadyFile } from './ready-file.ts';
import { BY_USE, FREE, GOODS, PRICE } from './shop.ts';

type Example = { title: string; command: string };

/**
 * `isOpen`: whether channels are open already; `openTimeouts`: the timeouts of channels that the examples open. `self`: what
 * a shell starts this program with.
 */
export type GuideOptions = {
  ready: ReadyFile;
  isOpen: boolean;
  openTimeouts: OpenTimeouts;
  self: string;
};

/** Lists everything that runs and where, and commands to try. */
export function guideText(options: GuideOptions): string {
  const { chain, nats, inspector, contracts, tokens, unregisteredTokens } = options.ready;
  const { nodes, echo, pathfinding, monitoring, paywall } = options.ready;
  const rows = (echo === null ? nodes : [...nodes, echo]).map((node) => {
    return [node.name, node.address, node.api, node.database];
  });
  const places = [
    ['inspector', `${inspector} (open it in a browser)`],
    ...nodes.slice(0, 1).map(({ name, api }) => [`wallet of ${name}`, `${api}/wallet/`]),
    ['chain', `${chain.rpc} (chain id ${chain.chainId})`],
    ['broker', nats ?? 'the bus inside this process'],
    ...(pathfinding === null ? [] : [['path-finding', pathfinding]]),
    ...(monitoring === null ? [] : [['monitoring', `${monitoring.address}, takes no calls`]]),
    ...(paywall === null ? [] : [[`shop of ${paywall.seller}`, paywall.url]]),
    ...tokens.map((token) => [`token ${token.symbol}`, `${token.address}, registered`]),
    ...unregisteredTokens.map((address) => ['token', `${address}, not registered`]),
    ...Object.entries(contracts)
      .filter(([name]) => name.endsWith('_address'))
      .map(([name, address]) => [
        name.replace(/_address$/, '').replaceAll('_', ' '),
        String(address),
      ]),
  ];
  const examples = examplesOf(options).map(pasteable);
  return [
    table([['node', 'address', 'API', 'database'], ...rows]),
    table(places),
    'Try this in another terminal (amounts are in the smallest unit, 10^-18 of a token):',
    examples.join('\n'),
  ].join('\n\n');
}

/** A title that every shell takes: zsh and fish run a pasted comment as a command, or take what stands in it for patterns. */
function pasteable({ title, command }: Example): string {
  return `echo '# ${title}'\n${command}`;
}

/** Columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `  ${line.trimEnd()}`)
    .join('\n');
}

/** The example payment to the echo node, made by its neighbour: mediation fees would be high for so small an amount. */
const TRY = { amount: '9', identifier: '100', echo: '8', echoIdentifier: '108' };

/**
 * Commands for sh, bash, zsh and fish, to be run in this order, also when all are pasted at once: one that needs what comes
 * later waits for it. fish has no loops of a shell: they are given to `sh`.
 * With a single node those that need a partner are left out.
 */
function examplesOf({ ready, isOpen, openTimeouts, self }: GuideOptions): Example[] {
  const [left, right] = ready.nodes;
  const [token] = ready.tokens;
  if (left === undefined || token === undefined) return [];
  const list = { title: 'the tokens that have a network', command: get(left.api, 'tokens') };
  if (right === undefined) return [list];
  return [
    list,
    ...(isOpen ? [] : openings(ready, token, openTimeouts)),
    deposit(left, right, token, 2n * DEPOSIT),
    ...payments({ left, right, token }),
    ...bought(ready, left, { token, self }),
    ...mediatedPayment(ready.nodes, token),
    ...echoes({ ready, isOpen }, token),
    ...ending({ left, right, token }, ready.chain.rpc),
  ];
}

type Party = ReadyFile['nodes'][number];
type Token = ReadyFile['tokens'][number];
type Direct = { left: Party; right: Party; token: Token };

/** The nodes of the examples, in the order of the line of channels. */
function lineOf({ nodes, echo }: ReadyFile): Party[] {
  const line = nodes.slice(0, 3);
  return echo === null ? line : [...line, echo];
}

function openings(ready: ReadyFile, token: Token, timeouts: OpenTimeouts): Example[] {
  const line = lineOf(ready);
  return line.slice(1).map((right, index) => {
    const left = line[index] ?? right;
    return {
      title: `${left.name} opens a channel with ${right.name} and deposits 100 ${token.symbol}`,
      command: send(left.api, 'PUT', 'channels', {
        partner_address: right.address,
        token_address: token.address,
        total_deposit: String(DEPOSIT),
        ...timeouts,
      }),
    };
  });
}

function deposit({ name, api }: Party, partner: Party, token: Token, total: bigint): Example {
  const path = `channels/${token.address}/${partner.address}`;
  return {
    title: `${name} deposits another 100 ${token.symbol}`,
    command: send(api, 'PATCH', path, { total_deposit: String(total) }),
  };
}

function payments({ left, right, token }: Direct): Example[] {
  return [
    {
      title: `${left.name} pays ${right.name} ${PAYMENT / 10n ** 18n} ${token.symbol}`,
      command: send(left.api, 'POST', `payments/${token.address}/${right.address}`, {
        amount: String(PAYMENT),
      }),
    },
    { title: `the history of ${left.name}`, command: get(left.api, 'payments') },
    { title: `the history of ${right.name}`, command: aMomentLater(right) },
  ];
}

/** What the shop answers to who does not pay, and to who does. */
function bought(
  { paywall }: ReadyFile,
  { name, api }: Party,
  { token, self }: { token: Token; self: string },
): Example[] {
  if (paywall === null) return [];
  const { url, seller } = paywall;
  return [
    { title: `what is free in the shop of ${seller}`, command: get(url, FREE.slice(1), '') },
    { title: 'what is not is answered with its price (402)', command: `curl -i '${url}${GOODS}'` },
    {
      title: `${name} buys it`,
      command: `${self} fetch '${url}${GOODS}' --node ${api} --most ${PRICE}`,
    },
    {
      title: `${name} pays ahead, buys three times of each on this tab, and is paid back`,
      command: `node ${example('buy-on-a-tab.mjs')} ${api} ${token.address} '${url}${GOODS}' '${url}${BY_USE}'`,
    },
  ];
}

/** A program of the documentation, as a shell in this folder finds it: src/devnet is two levels below the package, the bundle three. */
function example(name: string): string {
  const paths = ['../..', '../../..'].map((up) =>
    fileURLToPath(new URL(`${up}/docs/examples/${name}`, import.meta.url)),
  );
  const path = paths.find((one) => existsSync(one)) ?? name;
  const near = relative('', path);
  const short = near.startsWith('..') ? path : near;
  return /^[\w./-]+$/.test(short) ? short : `'${short}'`;
}

function mediatedPayment([left, between, right]: ReadyFile['nodes'], token: Token): Example[] {
  if (left === undefined || between === undefined || right === undefined) return [];
  const path = `payments/${token.address}/${right.address}`;
  return [
    {
      title: `${left.name} pays ${right.name} 1 ${token.symbol} through ${between.name}`,
      command: send(left.api, 'POST', path, { amount: String(10n ** 18n) }),
    },
    { title: `the history of ${right.name}`, command: aMomentLater(right) },
  ];
}

function echoes(
  { ready, isOpen }: Pick<GuideOptions, 'ready' | 'isOpen'>,
  token: Token,
): Example[] {
  const { echo } = ready;
  const payer = isOpen ? ready.nodes.at(-1) : lineOf(ready).at(-2);
  if (echo === null || payer === undefined) return [];
  const path = `payments/${token.address}/${echo.address}`;
  const { amount, identifier } = TRY;
  return [
    {
      title: `${payer.name} pays the echo node ${amount} units as payment ${identifier}`,
      command: send(payer.api, 'POST', path, { amount, identifier }),
    },
    {
      title: `which answers with ${TRY.echo} units as payment ${TRY.echoIdentifier}: this waits for it`,
      command: `sh -c 'until ${quiet(get(payer.api, path))} | grep \\"${TRY.echoIdentifier}\\"; do sleep 0.5; done'`,
    },
  ];
}

function ending({ left, right, token }: Direct, rpc: string): Example[] {
  const channel = `channels/${token.address}/${right.address}`;
  return [
    {
      title: `${left.name} closes the channel`,
      command: send(left.api, 'PATCH', channel, { state: 'closed' }),
    },
    {
      title: 'after the settle timeout the channel is gone from the list: this waits for it',
      command: `sh -c 'while ${quiet(get(left.api, channel), 'f')} > /dev/null; do sleep 1; done; ${get(left.api, 'channels')}'`,
    },
    {
      title: `and the tokens of ${right.name} are on chain (hexadecimal)`,
      command: balance(rpc, token.address, right.address),
    },
  ];
}

/** The history of who was paid: its node knows a moment after the payer's. */
function aMomentLater({ api }: Party): string {
  return `sleep 1; ${get(api, 'payments')}`;
}

function quiet(curl: string, more = ''): string {
  return curl.replace('curl', `curl -s${more}`);
}

function get(api: string, path: string, base = 'api/v1/'): string {
  return curlOf('GET', `${api}/${base}${path}`);
}

function send(api: string, method: string, path: string, body: object): string {
  return curlOf(method, `${api}/api/v1/${path}`, body);
}

/** A curl command that calls `balanceOf(owner)` of an ERC-20 token. */
function balance(rpc: string, token: string, owner: string): string {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`;
  const params = [{ to: token, data }, 'latest'];
  return curlOf('POST', rpc, { jsonrpc: '2.0', id: 1, method: 'eth_call', params });
}
