/** What a devnet tells the person who started it. */
import { DEPOSIT, PAYMENT, SHORT_TIMEOUTS } from './first-payment.ts';
import type { ReadyFile } from './ready-file.ts';

type Example = { title: string; command: string };

/** `isOpen`: channels are open already. */
export type GuideOptions = { ready: ReadyFile; isOpen: boolean };

/** Everything that runs, where, and lines to try. */
export function guideText(options: GuideOptions): string {
  const { chain, nats, contracts, tokens, unregisteredTokens, nodes, echo } = options.ready;
  const rows = (echo === null ? nodes : [...nodes, echo]).map((node) => {
    return [node.name, node.address, node.api, node.database];
  });
  const places = [
    ['chain', `${chain.rpc} (chain id ${chain.chainId})`],
    ['broker', nats ?? 'the bus inside this process'],
    ...tokens.map((token) => [`token ${token.symbol}`, `${token.address}, registered`]),
    ...unregisteredTokens.map((address) => ['token', `${address}, not registered`]),
    ...Object.entries(contracts)
      .filter(([name]) => name.endsWith('_address'))
      .map(([name, address]) => [
        name.replace(/_address$/, '').replaceAll('_', ' '),
        String(address),
      ]),
  ];
  const examples = examplesOf(options).map(({ title, command }) => `# ${title}\n${command}`);
  return [
    table([['node', 'address', 'API', 'database'], ...rows]),
    table(places),
    'Try this in another terminal (amounts are in the smallest unit, 10^-18 of a token):',
    examples.join('\n'),
  ].join('\n\n');
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

/** Lines for a shell, to be run in this order; those that need a partner are left out without one. */
export function examplesOf({ ready, isOpen }: GuideOptions): Example[] {
  const [left, right] = ready.nodes;
  const [token] = ready.tokens;
  if (left === undefined || token === undefined) return [];
  const list = { title: 'the tokens that have a network', command: get(left.api, 'tokens') };
  if (right === undefined) return [list];
  const channel = `channels/${token.address}/${right.address}`;
  const open: Example = {
    title: `${left.name} opens a channel with ${right.name} and deposits 100 ${token.symbol}`,
    command: send(left.api, 'PUT', 'channels', {
      partner_address: right.address,
      token_address: token.address,
      total_deposit: String(DEPOSIT),
      ...SHORT_TIMEOUTS,
    }),
  };
  return [
    list,
    ...(isOpen ? [] : [open]),
    {
      title: `${left.name} deposits another 100 ${token.symbol}`,
      command: send(left.api, 'PATCH', channel, { total_deposit: String(2n * DEPOSIT) }),
    },
    {
      title: `${left.name} pays ${right.name} ${PAYMENT / 10n ** 18n} ${token.symbol}`,
      command: send(left.api, 'POST', `payments/${token.address}/${right.address}`, {
        amount: String(PAYMENT),
      }),
    },
    { title: `the history of ${left.name}`, command: get(left.api, 'payments') },
    { title: `the history of ${right.name}`, command: get(right.api, 'payments') },
    {
      title: `${left.name} closes the channel`,
      command: send(left.api, 'PATCH', channel, { state: 'closed' }),
    },
    {
      title: 'after the settle timeout the channel is gone from the list',
      command: get(left.api, 'channels'),
    },
    {
      title: `and the tokens of ${right.name} are on chain (hexadecimal)`,
      command: balance(ready.chain.rpc, token.address, right.address),
    },
  ];
}

function get(api: string, path: string): string {
  return `curl ${api}/api/v1/${path}`;
}

function send(api: string, method: string, path: string, body: object): string {
  return `curl -X ${method} ${api}/api/v1/${path} ${json(body)}`;
}

/** `balanceOf(owner)` of an ERC-20 token, by hand. */
function balance(rpc: string, token: string, owner: string): string {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`;
  const params = [{ to: token, data }, 'latest'];
  return `curl ${rpc} ${json({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })}`;
}

function json(body: object): string {
  return `-H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}
