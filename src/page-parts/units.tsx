/** Whether amounts are written as tokens or in the smallest unit; remembered by this browser. */

import { keep, kept } from './kept.ts';
import { type AmountUnits, units } from './labels.ts';
import { Select } from './select.tsx';

const UNITS = [
  ['tokens', 'Tokens'],
  ['units', 'Units'],
] as const;

export function applyStoredUnits(): void {
  units.value = unitsOf(kept('local', 'units'));
}

export function UnitsSwitch() {
  return (
    <label class="theme" title="How amounts are written: in tokens, or in the smallest unit">
      <span class="unseen">Amounts</span>
      <Select
        value={units.value}
        options={UNITS}
        onChoose={(text) => {
          units.value = unitsOf(text);
          keep('local', 'units', units.value);
        }}
      />
    </label>
  );
}

function unitsOf(text: string | null): AmountUnits {
  return text === 'units' ? text : 'tokens';
}
