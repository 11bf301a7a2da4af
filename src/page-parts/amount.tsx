/** An amount in the units that the reader chose; the exact amount appears under the pointer and is what gets copied. */
import { figureOf } from './figure.ts';
import { amountFigure, amountText, exactText, tokenUnit } from './labels.ts';

type AmountProps = {
  value: bigint;
  /** Null: the amount's token is not known. */
  token: string | null;
  /** Whether a positive amount has a plus sign. */
  isSigned?: boolean;
  /** Whether the token is named nearby, so that only the figure is written. */
  isBare?: boolean;
  /** What the amount claims to be, and when, see `figureOf`; null: a record of the journal says it. */
  of: string | null;
  at?: string | undefined;
};

export function AmountText(amount: AmountProps) {
  const { value, token, isSigned = false, isBare = false, of, at } = amount;
  const plus = isSigned && value > 0n ? '+' : '';
  const text = isBare ? amountFigure(value, token) : amountText(value, token);
  const claim =
    of === null
      ? {}
      : figureOf({ of, value, unit: tokenUnit(token), ...(at === undefined ? {} : { at }) });
  return (
    <span class="amount" data-exact={`${value}`} title={exactText(value, token)} {...claim}>
      {plus}
      {text}
    </span>
  );
}

/** A cell of a table with an amount. */
export function AmountCell(amount: AmountProps) {
  return (
    <td class="number">
      <AmountText {...amount} />
    </td>
  );
}

/** From now on, text that is copied from the page has exact amounts in the smallest unit, as the API takes them. */
export function copyExactAmounts(): void {
  document.addEventListener('copy', (event) => {
    const selection = getSelection();
    if (selection === null || selection.rangeCount === 0 || event.clipboardData === null) return;
    const range = selection.getRangeAt(0);
    const part = range.cloneContents();
    const amounts = part.querySelectorAll<HTMLElement>('[data-exact]');
    const within = elementOf(range.commonAncestorContainer)?.closest('[data-exact]');
    const alone = within?.getAttribute('data-exact');
    if (alone === undefined && amounts.length === 0) return;
    for (const amount of amounts) amount.textContent = amount.getAttribute('data-exact');
    event.clipboardData.setData('text/plain', alone ?? textOf(part));
    event.preventDefault();
  });
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** The text of a part of the page, with tabs between cells and line breaks between rows. */
function textOf(part: DocumentFragment): string {
  for (const cell of part.querySelectorAll('td, th')) cell.append('\t');
  for (const row of part.querySelectorAll('tr, p, li')) row.append('\n');
  return (part.textContent ?? '').replace(/\t\n/g, '\n').trim();
}
