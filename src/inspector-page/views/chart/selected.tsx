/** The details of the state or the edge that the reader selected. */
import type { MachineDefinition } from '../../../inspector/wire.ts';
import type { Lit } from '../drawing/marks.tsx';
import { edgeText, stateWords } from '../drawing/outline.tsx';
import { EdgeWords } from './panel.tsx';
import type { ChartSelection } from './selection.ts';

type SelectedProps = Lit & {
  machine: MachineDefinition;
  selected: ChartSelection;
  onClose(): void;
};

export function SelectedPart({ selected, onClose, ...rest }: SelectedProps) {
  return (
    <div class="selected-part">
      {selected.kind === 'state' ? (
        <SelectedState id={selected.id} {...rest} />
      ) : (
        <SelectedEdge id={selected.id} {...rest} />
      )}
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  );
}

type PartProps = Omit<SelectedProps, 'selected' | 'onClose'> & { id: string };

function SelectedState({ id, machine, index, active, activity }: PartProps) {
  const state = index.states.get(id);
  if (state === undefined) return null;
  const does = [
    { when: 'on entry', actions: state.entry },
    { when: 'on exit', actions: state.exit },
  ].filter(({ actions }) => actions.length > 0);
  return (
    <>
      <p class="code selected-name">{id === '' ? machine.machine : id}</p>
      {state.description !== '' && <p>{state.description}</p>}
      <p class="quiet">{stateWords(state, active, activity).join(' · ')}</p>
      {does.map(({ when, actions }) => (
        <p key={when}>
          {when} <span class="code">{actions.join(', ')}</span>
        </p>
      ))}
    </>
  );
}

function SelectedEdge({ id, machine, index, activity }: PartProps) {
  const edge = index.edges.get(id);
  if (edge === undefined) return null;
  return (
    <>
      <p class="code selected-name">{edgeText(edge)}</p>
      <p class="code">
        {edge.source === '' ? machine.machine : edge.source}
        {edge.targets.length === 0 ? ' stays' : ` → ${edge.targets.join(', ')}`}
      </p>
      <EdgeWords edge={edge} machine={machine} activity={activity} />
    </>
  );
}
