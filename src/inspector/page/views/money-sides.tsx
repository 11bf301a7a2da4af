/** Both sides of a channel: as bars on one scale, and as a table. */

import { grouped } from '../../../protocol/digits.ts';
import type { Money, MoneySide } from '../../wire.ts';
import { shortId } from '../digits.ts';
import { PART_WORDS, type SideBar, sideBars } from './money.ts';

export function Sides({ money }: { money: Money }) {
  const [own, partner] = sideBars(money);
  return (
    <div class="pane">
      <header>
        <h3>What each side holds</h3>
        <Legend />
      </header>
      <div class="sides" aria-hidden="true">
        <Side name="This node" bar={own} />
        <Side name="Partner" bar={partner} />
      </div>
      <SidesTable money={money} />
    </div>
  );
}

const KINDS = ['free', 'locked', 'reserved', 'withdrawn'] as const;

function Legend() {
  return (
    <ul class="pane-legend" aria-hidden="true">
      {KINDS.map((kind) => (
        <li key={kind}>
          <span class={`swatch part-${kind}`} /> {PART_WORDS[kind]}
        </li>
      ))}
      <li>
        <span class="swatch-deposit" /> deposit
      </li>
    </ul>
  );
}

function Side({ name, bar }: { name: string; bar: SideBar }) {
  return (
    <>
      <span class="side-name">{name}</span>
      <div class="side-bar">
        {bar.parts.map(({ kind, amount, start, width }) => (
          <span
            key={kind}
            class={`part part-${kind}`}
            title={`${PART_WORDS[kind]} ${grouped(amount)}`}
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

function SidesTable({ money: { own, partner } }: { money: Money }) {
  return (
    <div class="pane-wide">
      <table class="exact">
        <thead>
          <tr>
            <th>
              <span class="unseen">What</span>
            </th>
            <th class="number" title={own.address}>
              This node {shortId(own.address)}
            </th>
            <th class="number" title={partner.address}>
              Partner {shortId(partner.address)}
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
                <td class="number">{grouped(ours)}</td>
                <td class="number">{grouped(theirs)}</td>
                <td class="number mark-quiet">{isSum ? grouped(ours + theirs) : ''}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
