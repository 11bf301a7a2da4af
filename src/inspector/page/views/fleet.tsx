import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Source } from '../../source.ts';
import type { Fleet } from '../../wire.ts';
import { hashOf } from '../router.ts';

export function FleetView({ source }: { source: Source }) {
  const fleet = useMemo(() => signal<Fleet | null>(null), []);
  useEffect(() => {
    void source.read('actors', 'actors').then((value) => {
      fleet.value = value;
    });
  }, [source]);
  return (
    <section aria-label="Fleet">
      <ul>
        {fleet.value?.actors.map((row) => (
          <li key={row.actor}>
            <a href={hashOf({ view: 'chart', actor: row.actor })}>{row.actor}</a> {row.state}
          </li>
        ))}
      </ul>
    </section>
  );
}
