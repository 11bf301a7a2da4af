/** The lists of a report: expectations, rules, faults and nodes. */
import { wholeUnits } from '../../../basics/amount.ts';
import { groupDigits, inTokens } from '../../../basics/digits.ts';
import { countOf, cut, exactly, plain } from '../results/numbers.ts';
import type { NodeResult, RunResult } from '../results/result.ts';
import { type Markup, markup } from './markup.ts';
import { type Column, panel, type Row, table } from './panel.ts';

/** As many rows as a browser draws quickly and a person reads; result.json has all. */
const MOST_NODES = 1000;
const MOST_FAULTS = 200;

const MET = markup`<span class="good"><span aria-hidden="true">✓</span> met</span>`;
const NOT_MET = markup`<span class="bad"><span aria-hidden="true">✗</span> not met</span>`;
const HELD = markup`<span class="good"><span aria-hidden="true">✓</span> held</span>`;
const BROKEN = markup`<span class="bad"><span aria-hidden="true">✗</span> broken</span>`;
export function expectationsPanel({ expectations }: RunResult): Markup | null {
  if (expectations.length === 0) return null;
  const rows = expectations.map(({ text, actual, isMet }) => ({
    cells: [isMet ? MET : NOT_MET, text, cut(actual)],
  }));
  const columns = [{ name: 'Result' }, { name: 'Expected' }, { name: 'Found' }];
  return panel('Expectations', 'half', table('Expectations', columns, rows));
}

export function invariantsPanel({ invariants, violation }: RunResult): Markup | null {
  if (invariants.length === 0) return null;
  const rows = invariants.map(({ number, name, checks }) => ({
    cells: [
      plain(number),
      name,
      groupDigits(checks),
      violation?.invariant === `${number} ${name}` ? BROKEN : HELD,
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
  const rows = faults.slice(0, MOST_FAULTS).map(({ name, target, fromBlock, toBlock, hits }) => ({
    cells: [
      name,
      target,
      { cell: periodText(fromBlock, toBlock), sort: fromBlock },
      { cell: groupDigits(hits), sort: hits },
    ],
  }));
  const columns = [
    ...[{ name: 'Fault' }, { name: 'Target' }],
    ...[
      { name: 'Blocks', isNumber: true },
      { name: 'Hits', isNumber: true },
    ],
  ];
  return panel('Faults', 'half', table('Faults', columns, rows, true));
}

export function faultPointsPanel({ faultPoints }: RunResult): Markup | null {
  const points = Object.entries(faultPoints).sort(([, a], [, b]) => a - b);
  if (points.length === 0) return null;
  const rows = points.map(([name, hits]) => ({
    cells: [markup`<code>${name}</code>`, numberCell(hits)],
  }));
  const words = `${countOf(points.length, 'place')} in the code where something may fail ${points.length === 1 ? 'was' : 'were'} reached.`;
  const columns = [{ name: 'Fault point' }, { name: 'Hits', isNumber: true }];
  const list = table('Fault points', columns, rows, true);
  return panel('Fault points', 'half', markup`<p class="quiet">${words}</p>${list}`);
}

function periodText(fromBlock: number, toBlock: number): string {
  const from = groupDigits(fromBlock);
  return fromBlock === toBlock ? from : `${from}–${groupDigits(toBlock)}`;
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
  const rows = sorted.slice(0, MOST_NODES).map((node): Row => {
    const numbers = [node.sent, node.received, node.mediated, node.failed].map(numberCell);
    const gain = node.wealthAfter - node.wealthBefore;
    return {
      cells: [
        markup`<span title="${node.address}">${node.name}</span>`,
        node.role,
        node.isHonest ? 'yes' : markup`<span class="bad">no</span>`,
        ...numbers,
        amountCell(node.feesEarned, inTokens(node.feesEarned, token.decimals)),
        amountCell(node.feesPaid, inTokens(node.feesPaid, token.decimals)),
        amountCell(node.gasSpentWei, wholeUnits(node.gasSpentWei, 'up')),
        amountCell(gain, `${gain > 0n ? '+' : ''}${inTokens(gain, token.decimals)}`),
        lossCell(node, inTokens(node.loss, token.decimals)),
        numberCell(node.messagesSent + node.messagesReceived),
        numberCell(node.kills),
      ],
    };
  });
  const cut =
    nodes.length > MOST_NODES
      ? ` (${groupDigits(MOST_NODES)} of ${groupDigits(nodes.length)})`
      : '';
  return panel(`Nodes${cut}`, 'whole', table('Nodes', nodeColumns(token.symbol), rows, true));
}

/** A shortened amount; all its digits are shown under the pointer. */
function amountCell(amount: bigint, text: string): { cell: Markup; sort: bigint } {
  return { cell: markup`<span title="${exactly(amount)}">${text}</span>`, sort: amount };
}

function numberCell(value: number) {
  return { cell: groupDigits(value), sort: value };
}

function lossCell({ loss }: NodeResult, text: string) {
  if (loss === 0n) return { cell: markup`<span class="quiet">0</span>`, sort: 0 };
  return { cell: markup`<strong class="bad">${text}</strong>`, sort: loss };
}

function deeds({ sent, received, mediated }: NodeResult): number {
  return sent + received + mediated;
}
