/** Whether amounts are written as tokens or in the smallest unit; remembered by this browser. */

import { keep, kept } from './kept.ts';
import { type Units, units } from './labels.ts';

export function applyStoredUnits(): void {
  units.value = unitsOf(kept('local', 'units'));
}

export function UnitsSwitch() {
  return (
    <label class="theme" title="How amounts are written: in tokens, or in the smallest unit">
      <span class="unseen">Amounts</span>
      <select
        value={units.value}
        onChange={({ currentTarget }) => {
          units.value = unitsOf(currentTarget.value);
          keep('local', 'units', units.value);
        }}
      >
        <option value="tokens">Tokens</option>
        <option value="units">Units</option>
      </select>
    </label>
  );
}

function unitsOf(text: string | null): Units {
  return text === 'units' ? text : 'tokens';
}
