/** A choice of one of a devnet's nodes. */
type ChoiceProps = {
  label: string;
  value: string;
  names: readonly string[];
  onChoose(name: string): void;
};

export function NodeChoice({ label, value, names, onChoose }: ChoiceProps) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
