/** Labelled fields of forms, each with what is wrong with it. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Select } from '../../page-parts/select.tsx';
import type { WalletNode } from '../state/wallet.ts';
import type { OfferedToken } from './tokens.ts';

type FieldProps = {
  label: string;
  value: string;
  onInput(text: string): void;
  hint?: ComponentChildren;
  /** What is wrong; null or absent: nothing. Not said of an empty field. */
  problem?: string | null;
  isDecimal?: boolean;
  type?: 'text' | 'date';
  list?: string;
};

export function FormField({ label, value, onInput, hint, problem = null, ...more }: FieldProps) {
  const { isDecimal = false, type = 'text', list } = more;
  const id = useId();
  const said = value === '' ? null : problem;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        autocomplete="off"
        spellcheck={false}
        {...(isDecimal ? { inputMode: 'decimal' as const } : {})}
        {...(list === undefined ? {} : { list })}
        aria-invalid={said !== null}
        aria-describedby={`${id}-said`}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <p id={`${id}-said`} class={said === null ? 'hint' : 'hint wrong'}>
        {said ?? hint ?? ''}
      </p>
    </div>
  );
}

type ChoiceProps = { label: string } & Omit<Parameters<typeof Select>[0], 'id'>;

export function Choice({ label, ...given }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Select id={id} {...given} />
    </div>
  );
}

type TokenProps = {
  tokens: readonly OfferedToken[];
  value: string;
  onChoose(token: string): void;
};

export function TokenChoice({ tokens, value, onChoose }: TokenProps) {
  const options = tokens.map(({ address, name }) => [address, name] as const);
  return <Choice label="Token" value={value} options={options} onChoose={onChoose} />;
}

type PersonProps = {
  label: string;
  facts: WalletNode;
  value: string;
  onInput(text: string): void;
  problem: string | null;
  hint?: ComponentChildren;
};

/** An address or a name, with the known names to choose from. */
export function PersonField({ facts, ...field }: PersonProps) {
  const id = useId();
  const others = facts.names.filter(({ address }) => address !== facts.address);
  return (
    <>
      <FormField list={id} {...field} />
      <datalist id={id}>
        {others.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
