/** An actor as one file to send to somebody: its state, its money, its chart and its steps. The file has no script. */
import type { ActorView, MoneySide, StepRecords } from '../../inspector/wire.ts';
import { amountText, personName } from '../../page-parts/labels.ts';
import { endingOf, endingText } from '../base/ending.ts';
import { machineName, rowName } from '../base/names.ts';
import { moveText, stepCauseText, stepLine } from '../views/history/steps.ts';

export type Transcribed = {
  view: ActorView;
  steps: readonly StepRecords[];
  /** Whether the node knows older steps that are not in `steps`. */
  hasMore: boolean;
  /** The node's address. */
  own: string | null;
  /** The chart as SVG text. */
  chart: string;
};

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}' +
  'table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.2rem .6rem;text-align:left;vertical-align:top}' +
  'td{overflow-wrap:anywhere}img{max-width:100%}';

/** HTML without a script: everything that comes from the node is inserted as text. */
export function transcriptOf({ view, steps, hasMore, own, chart }: Transcribed): string {
  const { row, block, money, deadlines } = view;
  const { kind, name, detail } = rowName(row);
  const page = document.implementation.createHTMLDocument(`${kind} ${name}`);
  const add = (tag: string, text: string, parent: Element = page.body) => {
    const element = page.createElement(tag);
    element.textContent = text;
    return parent.appendChild(element);
  };
  const table = (head: readonly string[], rows: readonly (readonly string[])[]) => {
    const found = add('table', '');
    const top = add('tr', '', found);
    for (const cell of head) add('th', cell, top);
    for (const cells of rows) {
      const line = add('tr', '', found);
      for (const cell of cells) add('td', cell, line);
    }
  };
  add('h1', [kind, name, detail].filter((part) => part !== '').join(' '));
  const ending = endingOf(row, steps, own);
  const said = ending && endingText(ending, row.token);
  add('p', said ?? `${machineName(row.machine)}: ${row.state}, at block #${block}.`);
  add('p', `${row.actor} of node ${own ?? ''}`);
  if (money !== null) {
    add('h2', 'Money');
    const token = row.token;
    table(MONEY_HEAD, [moneyRow(money.own, token), moneyRow(money.partner, token)]);
  }
  if (deadlines.length > 0) {
    add('h2', 'Deadlines');
    table(
      ['what', 'until block'],
      deadlines.map(({ action, expiryBlock }) => [action, `${expiryBlock ?? '–'}`]),
    );
  }
  add('h2', 'Chart');
  const image = add('img', '');
  image.setAttribute('alt', `The state chart of ${machineName(row.machine)}`);
  image.setAttribute('src', `data:image/svg+xml,${encodeURIComponent(chart)}`);
  add('h2', 'Steps');
  if (hasMore) add('p', 'Older steps are left out.');
  table(['step', 'block', 'time', 'what', 'why', 'where it went'], steps.flatMap(stepRow));
  // Inserted as text: the content security policy of this page also blocks a style element made in it.
  const html = page.documentElement.outerHTML.replace('</head>', `<style>${STYLE}</style></head>`);
  return `<!doctype html>\n${html}\n`;
}

const MONEY_HEAD = ['side', 'deposit', 'withdrawn', 'can pay', 'locked', 'nonce'];

function moneyRow(side: MoneySide, token: string | null): string[] {
  const { address, deposit, withdrawn, capacity, locked, nonce } = side;
  const sums = [deposit, withdrawn, capacity, locked].map((sum) => amountText(sum, token));
  return [`${personName(address)} ${address}`, ...sums, `${nonce}`];
}

function stepRow(step: StepRecords): string[][] {
  const line = stepLine(step);
  if (line === null) return [];
  const place = [`${line.seq}`, `${line.block}`, new Date(line.time).toISOString()];
  if (line.gap !== null) return [[...place, line.gap, '', '']];
  return [[...place, line.what, stepCauseText(line), moveText(line)]];
}
