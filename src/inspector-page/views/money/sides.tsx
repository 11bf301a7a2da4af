/** Both sides of a channel: as bars on one scale, and as a table. */

import { grouped } from '../../../basics/digits.ts';
import type { Money, MoneySide } from '../../../inspector/wire.ts';
import { AmountText } from '../../../page-parts/amount.tsx';
import { percentOf } from '../../../page-parts/digits.ts';
import { barOf, figureOf } from '../../../page-parts/figure.ts';
import { amountText, personName, tokenUnit } from '../../../page-parts/labels.ts';
import { DrawingLegend } from '../legend.tsx';
import { PART_WORDS, type SideBar, sideBars } from './bars.ts';

type SidesProps = { actor: string; money: Money; token: string | null };

export function Sides({ actor, money, token, isOver }: SidesProps & { isOver: boolean }) {
  const [own, partner] = sideBars(money);
  return (
    <div class="pane">
      <header>
        <h2>{isOver ? 'What each side held at the end' : 'What each side holds'}</h2>
        <DrawingLegend entries={LEGEND} />
      </header>
      <div class="sides" aria-hidden="true">
        <Side of={`${actor}/own`} name={personName(money.own.address)} bar={own} token={token} />
        <Side
          of={`${actor}/partner`}
          name={personName(money.partner.address)}
          bar={partner}
          token={token}
        />
      </div>
      <SidesTable actor={actor} money={money} token={token} />
    </div>
  );
}

const KINDS = ['free', 'locked', 'reserved', 'withdrawn'] as const;

const LEGEND = [
  ...KINDS.map((kind) => [`swatch part-${kind}`, PART_WORDS[kind]] as const),
  ['swatch-deposit', 'deposit'] as const,
];

type SideProps = { of: string; name: string; bar: SideBar; token: string | null };

function Side({ of, name, bar, token }: SideProps) {
  return (
    <>
      <span class="side-name">{name}</span>
      <div class="side-bar" data-track="">
        {bar.parts.map(({ kind, amount, start }) => (
          <span
            key={kind}
            class={`part part-${kind}`}
            title={`${PART_WORDS[kind]} ${amountText(amount, token)}`}
            style={{ left: percentOf(start, bar.scale), width: percentOf(amount, bar.scale) }}
            {...barOf(
              { of: `${of}.${kind}`, value: amount, unit: tokenUnit(token) },
              bar.scale,
              start,
            )}
          />
        ))}
        <span class="side-deposit" style={{ left: percentOf(bar.deposit, bar.scale) }} />
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

function SidesTable({ actor, money: { own, partner }, token }: SidesProps) {
  const figure = (of: string, value: bigint, isAmount: boolean) =>
    isAmount ? (
      <AmountText value={value} token={token} of={`${actor}/${of}`} />
    ) : (
      <span {...figureOf({ of: `${actor}/${of}`, value, unit: 'count' })}>{grouped(value)}</span>
    );
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
                <td class="number">{figure(`own.${field}`, ours, isSum)}</td>
                <td class="number">{figure(`partner.${field}`, theirs, isSum)}</td>
                <td class="number mark-quiet">
                  {isSum && figure(`both.${field}`, ours + theirs, true)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
