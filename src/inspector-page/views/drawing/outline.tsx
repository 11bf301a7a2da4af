/** The chart as nested lists: everything that the drawing shows, as text. */
import type { EdgeDefinition, StateDefinition } from '../../../inspector/wire.ts';
import type { Activity } from '../chart/activity.ts';
import type { ChartSelection } from '../chart/selection.ts';

export type OutlineProps = {
  root: StateDefinition;
  active: ReadonlySet<string>;
  activity: Activity;
  nextEdges: ReadonlySet<string>;
  onSelect(selection: ChartSelection): void;
};

export function ChartOutline(props: OutlineProps) {
  return (
    <div class="outline">
      <Edges edges={props.root.edges} {...props} />
      <States states={props.root.states} {...props} />
    </div>
  );
}

function States({ states, ...props }: OutlineProps & { states: readonly StateDefinition[] }) {
  if (states.length === 0) return null;
  return (
    <ul>
      {states.map((state) => (
        <li key={state.id}>
          <State state={state} {...props} />
        </li>
      ))}
    </ul>
  );
}

function State({ state, ...props }: OutlineProps & { state: StateDefinition }) {
  const { active, activity, onSelect } = props;
  return (
    <>
      <button
        type="button"
        class={active.has(state.id) ? 'link outline-active' : 'link'}
        aria-current={active.has(state.id) ? 'true' : undefined}
        onClick={() => onSelect({ kind: 'state', id: state.id })}
      >
        {state.name}
      </button>{' '}
      <span class="quiet">{stateWords(state, active, activity).join(' · ')}</span>
      <Edges edges={state.edges} {...props} />
      <States states={state.states} {...props} />
    </>
  );
}

function Edges({
  edges,
  activity,
  nextEdges,
  onSelect,
}: OutlineProps & { edges: readonly EdgeDefinition[] }) {
  if (edges.length === 0) return null;
  return (
    <table class="outline-edges">
      <tbody>
        {edges.map((edge) => (
          <tr key={edge.id}>
            <td>
              <button
                type="button"
                class="link code"
                onClick={() => onSelect({ kind: 'edge', id: edge.id })}
              >
                {edgeText(edge)}
              </button>
            </td>
            <td class="code">
              {edge.targets.length === 0 ? 'stays' : `→ ${edge.targets.join(', ')}`}
            </td>
            <td>{activity.taken.get(edge.id)?.count ?? 0} ×</td>
            <td>{nextEdges.has(edge.id) ? 'possible now' : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `event [guard, guard]`; an edge without an event is `always`. */
export function edgeText(edge: EdgeDefinition): string {
  const event = edge.event === '' ? 'always' : edge.event;
  return edge.guards.length === 0 ? event : `${event} [${edge.guards.join(', ')}]`;
}

/** Words about a state that are listed beside its name. */
export function stateWords(
  state: StateDefinition,
  active: ReadonlySet<string>,
  activity: Activity,
): string[] {
  const entered = activity.entered.get(state.id) ?? 0;
  return [
    ...(active.has(state.id) ? ['active now'] : []),
    ...(state.type === 'parallel' ? ['its regions run side by side'] : []),
    ...(state.type === 'final' ? ['an end'] : []),
    ...(state.initial === null ? [] : [`begins in ${state.initial}`]),
    enteredText(entered, active.has(state.id)),
  ];
}

function enteredText(entered: number, isActive: boolean): string {
  if (entered > 0) return `entered ${entered} ×`;
  return isActive ? 'entered before the known steps' : 'never visited';
}
