/** What is known of one cell, beside it and as a sentence. */

import { grouped } from '../../../protocol/digits.ts';
import type { FleetRow } from '../../wire.ts';
import { shortId } from '../digits.ts';
import { actorName, regionsOf } from '../names.ts';
import { leftText } from './fleet-draw.ts';

const CARD_WIDTH = 300;

type CardProps = { row: FleetRow; nowBlock: bigint; x: number; y: number; width: number };

export function CellCard({ row, nowBlock, x, y, width }: CardProps) {
  const { kind, name } = actorName(row.actor);
  const left = Math.max(0, Math.min(x, width - CARD_WIDTH));
  return (
    <div class="fleet-card" role="tooltip" style={{ left: `${left}px`, top: `${y}px` }}>
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

/** For those who hear it. */
export function cellText(row: FleetRow, nowBlock: bigint): string {
  const { kind, name } = actorName(row.actor);
  return [`${kind} ${name}`, ...factsOf(row, nowBlock).map((fact) => fact.join(' '))].join(', ');
}

function factsOf(row: FleetRow, nowBlock: bigint): [string, string][] {
  const { state, partner, token, paymentId, amount, deadlineBlock } = row;
  const due = deadlineBlock === null ? '' : ` at #${deadlineBlock}`;
  return [
    ['State', regionsOf(state).join(' + ')],
    ['Deadline', `${leftText(row, nowBlock)}${due}`],
    ...fact('Partner', partner === null ? null : shortId(partner)),
    ...fact('Token', token === null ? null : shortId(token)),
    ...fact('Payment', paymentId === null ? null : `${paymentId}`),
    ...fact('Amount', amount === null ? null : grouped(amount)),
  ];
}

function fact(label: string, text: string | null): [string, string][] {
  return text === null ? [] : [[label, text]];
}
