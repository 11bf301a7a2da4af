/** What the shapes and colours of the map of actors mean. */
import { blocks } from '../../../page-parts/digits.ts';
import { type Limits, URGENCIES, type Urgency } from './groups.ts';

/** The shapes of the map, as text. */
export const MARKS: Record<Urgency, string> = {
  danger: '■',
  soon: '▲',
  far: '●',
  none: '○',
  ended: '×',
};

type LegendProps = { counts: Readonly<Record<Urgency, number>>; limits: Limits };

export function ActorsLegend({ counts, limits }: LegendProps) {
  const words: Record<Urgency, string> = {
    danger: `due within ${blocks(limits.danger)}`,
    soon: `within ${blocks(limits.soon)}`,
    far: 'later',
    none: 'nothing due',
    ended: 'ended',
  };
  return (
    <ul class="actors-legend" aria-label="Legend">
      {URGENCIES.map((urgency) => (
        <li key={urgency} data-urgency={urgency}>
          <span class="mark" aria-hidden="true">
            {MARKS[urgency]}
          </span>{' '}
          {words[urgency]} <b>{counts[urgency].toLocaleString('en')}</b>
        </li>
      ))}
    </ul>
  );
}
