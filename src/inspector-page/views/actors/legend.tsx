/** What the shapes and colours of the map of actors mean. */
import { blockCount } from '../../../page-parts/digits.ts';
import { type ActorUrgency, type Limits, URGENCIES } from './groups.ts';

/** The shapes of the map, as text. */
export const MARKS: Record<ActorUrgency, string> = {
  danger: '■',
  soon: '▲',
  far: '●',
  none: '○',
  ended: '×',
};

type LegendProps = { counts: Readonly<Record<ActorUrgency, number>>; limits: Limits };

export function ActorsLegend({ counts, limits }: LegendProps) {
  const words: Record<ActorUrgency, string> = {
    danger: `due within ${blockCount(limits.danger)}`,
    soon: `within ${blockCount(limits.soon)}`,
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
