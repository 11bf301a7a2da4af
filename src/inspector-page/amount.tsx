/** An amount as the reader wants it: to the unit where the pointer rests, and when it is copied. */
import { amountFigure, amountText, exactText } from './labels.ts';

type AmountProps = {
  value: bigint;
  /** Null: what the amount is of is not known. */
  token: string | null;
  /** Whether a plus stands before what is not negative. */
  isSigned?: boolean;
  /** Whether the token is named beside it, so that the figure is enough. */
  isBare?: boolean;
};

export function Amount({ value, token, isSigned = false, isBare = false }: AmountProps) {
  const plus = isSigned && value > 0n ? '+' : '';
  const text = isBare ? amountFigure(value, token) : amountText(value, token);
  return (
    <span class="amount" data-exact={`${value}`} title={exactText(value, token)}>
      {plus}
      {text}
    </span>
  );
}

/** From now on, whatever is copied from the page has its amounts to the unit, as the API takes them. */
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

/** Cells and rows keep apart what a table keeps apart. */
function textOf(part: DocumentFragment): string {
  for (const cell of part.querySelectorAll('td, th')) cell.append('\t');
  for (const row of part.querySelectorAll('tr, p, li')) row.append('\n');
  return (part.textContent ?? '').replace(/\t\n/g, '\n').trim();
}
