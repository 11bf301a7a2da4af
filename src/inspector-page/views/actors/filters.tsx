/** Which actors of the list are shown, and how. */
import { tokenName } from '../../../page-parts/labels.ts';
import { Select } from '../../../page-parts/select.tsx';
import { machineName, regionsOf } from '../../base/names.ts';
import type { ActorsLook } from './look.ts';

type FiltersProps = {
  look: ActorsLook;
  /** The values that can be chosen. */
  machines: readonly string[];
  states: readonly string[];
  tokens: readonly string[];
  onLook(change: Partial<ActorsLook>): void;
};

export function ActorsFilters({ look, machines, states, tokens, onLook }: FiltersProps) {
  return (
    <form class="filters" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Machine"
        value={look.machine}
        options={anyOf(machines, machineName)}
        onChoose={(machine) => onLook({ machine, state: '' })}
      />
      <Choice
        label="State"
        value={look.state}
        options={anyOf(states, (state) => regionsOf(state).join(' + '))}
        onChoose={(state) => onLook({ state })}
      />
      <Choice
        label="Token"
        value={look.token}
        options={anyOf(tokens, tokenName)}
        onChoose={(token) => onLook({ token })}
      />
      <Words label="Partner" value={look.partner} onWords={(partner) => onLook({ partner })} />
      <Words label="Payment" value={look.payment} onWords={(payment) => onLook({ payment })} />
      <Choice
        label="Ended"
        value={look.ended}
        options={ENDED}
        onChoose={(ended) => onLook({ ended: endedOf(ended) })}
      />
    </form>
  );
}

type FormProps = Pick<FiltersProps, 'look' | 'onLook'>;

/** The form with the order of the actors, and whether they are shown as a map or a table. */
export function ActorsForm({ look, onLook }: FormProps) {
  return (
    <div class="actors-form">
      <Choice
        label="Order"
        value={look.order}
        options={ORDERS}
        onChoose={(order) => onLook({ order: order === 'deadline' ? 'deadline' : 'spawned' })}
      />
      <fieldset class="forms">
        <legend class="unseen">Form</legend>
        {(['map', 'table'] as const).map((form) => (
          <button
            key={form}
            type="button"
            aria-pressed={look.form === form}
            onClick={() => onLook({ form })}
          >
            {form === 'map' ? 'Map' : 'Table'}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

function endedOf(text: string): ActorsLook['ended'] {
  return text === 'ended' || text === 'all' ? text : 'live';
}

const ORDERS = [
  ['spawned', 'as they came'],
  ['deadline', 'nearest deadline first'],
] as const;
const ENDED = [
  ['live', 'not ended'],
  ['ended', 'ended'],
  ['all', 'all'],
] as const;

const anyOf = (values: readonly string[], textOf: (value: string) => string) => [
  ['', 'any'] as const,
  ...values.map((value) => [value, textOf(value)] as const),
];

function Choice({ label, ...given }: { label: string } & Parameters<typeof Select>[0]) {
  return (
    <label>
      <span>{label}</span>
      <Select {...given} />
    </label>
  );
}

type WordsProps = { label: string; value: string; onWords(value: string): void };

function Words({ label, value, onWords }: WordsProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="search"
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onWords(currentTarget.value.trim())}
      />
    </label>
  );
}
