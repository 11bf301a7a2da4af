/** A choice of one of several texts. */

type SelectProps = {
  value: string;
  /** Each value with its text. */
  options: readonly (readonly [value: string, text: string])[];
  onChoose(value: string): void;
  id?: string;
  'aria-label'?: string;
};

export function Select({ options, onChoose, ...given }: SelectProps) {
  return (
    <select {...given} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
