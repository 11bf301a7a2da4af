/** Both sides of a channel: as bars on one scale, and as a table. */

import { grouped } from '../../../basics/digits.ts';
import type { Money, MoneySide } from '../../../inspector/wire.ts';
import { AmountText } from '../../../page-parts/amount.tsx';
import { amountText, personName } from '../../../page-parts/labels.ts';
import { DrawingLegend } from '../legend.tsx';
import { PART_WORDS, type SideBar, sideBars } from './bars.ts';

type SidesProps = { money: Money; token: string | null };

export function Sides({ money, token, isOver }: SidesProps & { isOver: boolean }) {
  const [own, partner] = sideBars(money);
  return (
    <div class="pane">
      <header>
        <h2>{isOver ? 'What each side held at the end' : 'What each side holds'}</h2>
        <DrawingLegend entries={LEGEND} />
      </header>
      <div class="sides" aria-hidden="true">
        <Side name={personName(money.own.address)} bar={own} token={token} />
        <Side name={personName(money.partner.address)} bar={partner} token={token} />
      </div>
      <SidesTable money={money} token={token} />
    </div>
  );
}

const KINDS = ['free', 'locked', 'reserved', 'withdrawn'] as const;

const LEGEND = [
  ...KINDS.map((kind) => [`swatch part-${kind}`, PART_WORDS[kind]] as const),
  ['swatch-deposit', 'deposit'] as const,
];

type SideProps = { name: string; bar: SideBar; token: string | null };

function Side({ name, bar, token }: SideProps) {
  return (
    <>
      <span class="side-name">{name}</span>
      <div class="side-bar">
        {bar.parts.map(({ kind, amount, start, width }) => (
          <span
            key={kind}
            class={`part part-${kind}`}
            title={`${PART_WORDS[kind]} ${amountText(amount, token)}`}
            style={{ left: `${start / 10}%`, width: `${width / 10}%` }}
          />
        ))}
        <span class="side-deposit" style={{ left: `${bar.depositAt / 10}%` }} />
      </div>
    </>
  );
}

const ROWS: readonly (readonly [label: string, field: keyof MoneySide, isSum: boolean])[] = [
  ['Deposit', 'deposit', true],
  ['Withdrawn', 'withdrawn', true],
  ['Promised withdrawal', 'reserved', true],
  ['Balance', 'balance', true],
  ['Locked', 'locked', true],
  ['Available', 'capacity', true],
  ['Nonce', 'nonce', false],
];

function SidesTable({ money: { own, partner }, token }: SidesProps) {
  const figure = (value: bigint, isAmount: boolean) =>
    isAmount ? <AmountText value={value} token={token} /> : grouped(value);
  return (
    <div class="pane-wide">
      <table class="exact">
        <thead>
          <tr>
            <th>
              <span class="unseen">What</span>
            </th>
            <th class="number" title={own.address}>
              This node, {personName(own.address)}
            </th>
            <th class="number" title={partner.address}>
              Partner, {personName(partner.address)}
            </th>
            <th class="number">Both</th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map(([label, field, isSum]) => {
            const [ours, theirs] = [own[field], partner[field]];
            if (typeof ours !== 'bigint' || typeof theirs !== 'bigint') return null;
            return (
              <tr key={field}>
                <th scope="row">{label}</th>
                <td class="number">{figure(ours, isSum)}</td>
                <td class="number">{figure(theirs, isSum)}</td>
                <td class="number mark-quiet">{isSum && figure(ours + theirs, true)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
