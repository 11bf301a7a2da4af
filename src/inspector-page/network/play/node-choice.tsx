/** A choice of one of a devnet's nodes. */
import { Select } from '../../../page-parts/select.tsx';

type ChoiceProps = {
  label: string;
  value: string;
  names: readonly string[];
  onChoose(name: string): void;
};

export function NodeChoice({ label, value, names, onChoose }: ChoiceProps) {
  const options = names.map((name) => [name, name] as const);
  return (
    <label>
      {label} <Select value={value} options={options} onChoose={onChoose} />
    </label>
  );
}
