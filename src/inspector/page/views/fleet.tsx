import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Source } from '../../source.ts';
import type { Fleet, NodeFacts } from '../../wire.ts';
import { Title } from '../frame/title.tsx';
import { hashOf } from '../router.ts';

export function FleetView({ source }: { source: Source; facts: NodeFacts | null }) {
  const fleet = useMemo(() => signal<Fleet | null>(null), []);
  useEffect(() => {
    void source.read('actors', 'actors').then((value) => {
      fleet.value = value;
    });
  }, [source]);
  return (
    <section aria-label="Fleet">
      <Title place={{ view: 'fleet' }}>Fleet</Title>
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
