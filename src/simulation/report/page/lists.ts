/** The lists of a report: expectations, rules, faults and nodes. */
import { plain } from '../results/numbers.ts';
import type { NodeResult, RunResult, Token } from '../results/result.ts';
import { sayBare, sayBlock, sayCount, sayText, type Words } from '../results/said.ts';
import { spoken } from './figure.ts';
import { type Markup, markup } from './markup.ts';
import { type Column, panel, type Row, table } from './panel.ts';

/** As many rows as a browser draws quickly and a person reads; result.json has all. */
const MOST_NODES = 1000;
const MOST_FAULTS = 200;

const MET = markup`<span class="good"><span aria-hidden="true">✓</span> met</span>`;
const NOT_MET = markup`<span class="bad"><span aria-hidden="true">✗</span> not met</span>`;
const HELD = markup`<span class="good"><span aria-hidden="true">✓</span> held</span>`;
const BROKEN = markup`<span class="bad"><span aria-hidden="true">✗</span> broken</span>`;
const UNTRIED = markup`<span class="quiet">never checked</span>`;

/** Says after a title how much of a list is shown, if that is not all. */
function cutWords(shown: number, all: number): string {
  return all > shown ? ` (${plain(shown, 0)} of ${plain(all, 0)})` : '';
}

export function expectationsPanel({ expectations }: RunResult): Markup | null {
  if (expectations.length === 0) return null;
  const rows = expectations.map(({ text, actual, isMet }, at) => ({
    cells: [
      isMet ? MET : NOT_MET,
      sayText(`expectation:${at}/text`, text, text),
      sayText(`expectation:${at}/actual`, actual),
    ],
  }));
  const columns = [{ name: 'Result' }, { name: 'Expected' }, { name: 'Found' }];
  return panel('Expectations', 'half', table('Expectations', columns, rows));
}

export function invariantsPanel({ invariants, violation }: RunResult): Markup | null {
  if (invariants.length === 0) return null;
  const resultOf = (name: string, checks: number) =>
    violation?.invariant === name ? BROKEN : checks === 0 ? UNTRIED : HELD;
  const rows = invariants.map(({ number, name, checks }) => ({
    cells: [
      plain(number),
      name,
      sayCount(`rule:${number}/checks`, checks),
      resultOf(`${number} ${name}`, checks),
    ],
  }));
  const columns = [
    ...[{ name: 'No.', isNumber: true }, { name: 'Rule' }],
    ...[{ name: 'Checked', isNumber: true }, { name: 'Result' }],
  ];
  return panel('Rules that must always hold', 'half', table('Rules', columns, rows));
}

export function faultsPanel({ faults }: RunResult): Markup | null {
  if (faults.length === 0) return null;
  const rows = faults
    .slice(0, MOST_FAULTS)
    .map(({ name, target, fromBlock, toBlock, hits }, at) => ({
      cells: [
        name,
        target,
        { words: periodWords(`fault:${at}`, fromBlock, toBlock), sort: fromBlock },
        sayCount(`fault:${at}/hits`, hits),
      ],
    }));
  const columns = [
    ...[{ name: 'Fault' }, { name: 'Target' }],
    ...[
      { name: 'Blocks', isNumber: true },
      { name: 'Hits', isNumber: true },
    ],
  ];
  const title = `Faults${cutWords(rows.length, faults.length)}`;
  return panel(title, 'half', table('Faults', columns, rows, true));
}

export function faultPointsPanel({ faultPoints }: RunResult): Markup | null {
  const points = Object.entries(faultPoints).sort(([, a], [, b]) => a - b);
  if (points.length === 0) return null;
  const rows = points.map(([name, hits]) => ({
    cells: [markup`<code>${name}</code>`, sayCount(`fault_point:${name}/hits`, hits)],
  }));
  const reached = points.filter(([, hits]) => hits > 0).length;
  const words = [
    sayCount('fault_points/reached', reached, 'place'),
    ` in the code where something may fail ${reached === 1 ? 'was' : 'were'} reached.`,
  ];
  const columns = [{ name: 'Fault point' }, { name: 'Hits', isNumber: true }];
  const list = table('Fault points', columns, rows, true);
  return panel('Fault points', 'half', markup`<p class="quiet">${spoken(words)}</p>${list}`);
}

function periodWords(of: string, fromBlock: number, toBlock: number): Words {
  const from = sayBlock(`${of}/from_block`, fromBlock);
  return fromBlock === toBlock ? [from] : [from, '–', sayBlock(`${of}/to_block`, toBlock)];
}

const nodeColumns = (symbol: string): Column[] => [
  ...[{ name: 'Node' }, { name: 'Role' }, { name: 'Honest' }],
  ...[
    'Sent',
    'Received',
    'Passed on',
    'Failed',
    `Fees (${symbol})`,
    `Paid (${symbol})`,
    'Gas (ETH)',
    `Gain (${symbol})`,
    `Lost (${symbol})`,
    'Messages',
  ].map((name) => ({ name, isNumber: true })),
  { name: 'Kills', isNumber: true },
];

/** The nodes: those that lost money first, then those with most payments; a click on a head sorts otherwise. */
export function nodesPanel({ nodes, token }: RunResult): Markup | null {
  if (nodes.length === 0) return null;
  const sorted = nodes.toSorted(
    (a, b) => (a.loss > b.loss ? -1 : a.loss < b.loss ? 1 : 0) || deeds(b) - deeds(a),
  );
  const rows = sorted.slice(0, MOST_NODES).map((node) => nodeRow(node, token));
  const title = `Nodes${cutWords(rows.length, nodes.length)}`;
  return panel(title, 'whole', table('Nodes', nodeColumns(token.symbol), rows, true));
}

function nodeRow(node: NodeResult, token: Token): Row {
  const count = (what: string, value: number) => sayCount(`node:${node.index}/${what}`, value);
  const amount = (what: string, value: bigint) =>
    sayBare(`node:${node.index}/${what}`, value, token);
  const gas = sayBare(`node:${node.index}/gas_spent`, node.gasSpentWei, ETHER);
  const gain = amount('gain', node.wealthAfter - node.wealthBefore);
  return {
    cells: [
      markup`<span title="${node.address}">${node.name}</span>`,
      node.role,
      node.isHonest ? 'yes' : markup`<span class="bad">no</span>`,
      count('sent', node.sent),
      count('received', node.received),
      count('mediated', node.mediated),
      count('failed', node.failed),
      amount('fees_earned', node.feesEarned),
      amount('fees_paid', node.feesPaid),
      { ...gas, unit: 'wei' },
      { ...gain, text: `${node.wealthAfter > node.wealthBefore ? '+' : ''}${gain.text}` },
      { ...amount('loss', node.loss), ink: node.loss === 0n ? 'quiet' : 'bad' },
      count('messages', node.messagesSent + node.messagesReceived),
      count('kills', node.kills),
    ],
  };
}

const ETHER = { decimals: 18 };

function deeds({ sent, received, mediated }: NodeResult): number {
  return sent + received + mediated;
}
