/** Which actors of the list are shown, and how. */
import type { ComponentChildren } from 'preact';
import { tokenName } from '../../../page-parts/labels.ts';
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
        onChoice={(machine) => onLook({ machine, state: '' })}
      >
        <Options values={machines} text={machineName} />
      </Choice>
      <Choice label="State" value={look.state} onChoice={(state) => onLook({ state })}>
        <Options values={states} text={(state) => regionsOf(state).join(' + ')} />
      </Choice>
      <Choice label="Token" value={look.token} onChoice={(token) => onLook({ token })}>
        <Options values={tokens} text={tokenName} />
      </Choice>
      <Words label="Partner" value={look.partner} onWords={(partner) => onLook({ partner })} />
      <Words label="Payment" value={look.payment} onWords={(payment) => onLook({ payment })} />
      <Choice
        label="Ended"
        value={look.ended}
        onChoice={(ended) => onLook({ ended: endedOf(ended) })}
      >
        <option value="live">not ended</option>
        <option value="ended">ended</option>
        <option value="all">all</option>
      </Choice>
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
        onChoice={(order) => onLook({ order: order === 'deadline' ? 'deadline' : 'spawned' })}
      >
        <option value="spawned">as they came</option>
        <option value="deadline">nearest deadline first</option>
      </Choice>
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

type ChoiceProps = {
  label: string;
  value: string;
  onChoice(value: string): void;
  children: ComponentChildren;
};

function Choice({ label, value, onChoice, children }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value)}>
        {children}
      </select>
    </label>
  );
}

function Options({ values, text }: { values: readonly string[]; text(value: string): string }) {
  return (
    <>
      <option value="">any</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {text(value)}
        </option>
      ))}
    </>
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
