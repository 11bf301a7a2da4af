/** The facts of one actor of the map: a card beside its cell, and a sentence for screen readers. */
import type { ListedActor } from '../../../inspector/wire.ts';
import { amountText, personName, tokenName } from '../../../page-parts/labels.ts';
import { regionsOf, rowName } from '../../base/names.ts';
import { leftText } from './draw.ts';

const CARD_WIDTH = 300;

type CardProps = { row: ListedActor; nowBlock: bigint; x: number; y: number; width: number };

export function CellCard({ row, nowBlock, x, y, width }: CardProps) {
  const { kind, name } = rowName(row);
  const left = Math.max(0, Math.min(x, width - CARD_WIDTH));
  return (
    <div class="actors-card" role="tooltip" style={{ left: `${left}px`, top: `${y}px` }}>
      <strong>
        {kind} {name}
      </strong>
      {factsOf(row, nowBlock).map(([label, text]) => (
        <p key={label}>
          <span>{label}</span> {text}
        </p>
      ))}
    </div>
  );
}

/** The facts as a sentence, for screen readers. */
export function cellText(row: ListedActor, nowBlock: bigint): string {
  const { kind, name } = rowName(row);
  return [`${kind} ${name}`, ...factsOf(row, nowBlock).map((fact) => fact.join(' '))].join(', ');
}

function factsOf(row: ListedActor, nowBlock: bigint): [string, string][] {
  const { state, partner, target, token, balances, paymentId, amount, deadlineBlock } = row;
  const due = deadlineBlock === null ? '' : ` at #${deadlineBlock}`;
  return [
    ['State', regionsOf(state).join(' + ')],
    ['Deadline', `${leftText(row, nowBlock)}${due}`],
    ...fact('Partner', partner === null ? null : personName(partner)),
    ...fact('Target', target === null ? null : personName(target)),
    ...fact('Token', token === null ? null : tokenName(token)),
    ...fact('Balance', balances && amountText(balances.own, token)),
    ...fact("Partner's", balances && amountText(balances.partner, token)),
    ...fact('Payment', paymentId === null ? null : `${paymentId}`),
    ...fact('Amount', amount === null ? null : amountText(amount, token)),
  ];
}

function fact(label: string, text: string | null): [string, string][] {
  return text === null ? [] : [[label, text]];
}
