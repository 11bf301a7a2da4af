/** The outermost states of a chart in a line, with the one in which the actor is. */
import type { InspectorSource } from '../../../inspector/source.ts';
import { useMachine } from '../chart/live.ts';

const STEP = 16;
const RADIUS = 4;

type StripProps = { source: InspectorSource; machine: string; state: string };

export function StateStrip({ source, machine, state }: StripProps) {
  const { machine: definition } = useMachine(source, machine);
  const states = definition?.root.states ?? [];
  const [outer = ''] = state.split(/[.+]/);
  const place = (index: number) => RADIUS + 2 + index * STEP;
  const width = place(states.length - 1) + RADIUS + 2;
  return (
    <span class="strip">
      {states.length > 0 && (
        <svg width={width} height={16} aria-hidden="true">
          <line x1={place(0)} x2={place(states.length - 1)} y1={8} y2={8} />
          {states.map(({ name }, index) => (
            <circle
              key={name}
              class={name === outer ? 'now' : ''}
              cx={place(index)}
              cy={8}
              r={name === outer ? RADIUS + 2 : RADIUS}
            >
              <title>{name}</title>
            </circle>
          ))}
        </svg>
      )}
      <code>{outer}</code>
    </span>
  );
}
