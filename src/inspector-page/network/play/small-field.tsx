/** A field for a number or an amount. */
import type { Ref } from 'preact';

type FieldProps = {
  label: string;
  value: string;
  onText(text: string): void;
  /** `decimal`: it may have a fraction. */
  mode: 'decimal' | 'numeric';
  /** How many characters are seen. */
  size: number;
  field?: Ref<HTMLInputElement>;
};

export function SmallField({ label, value, onText, mode, size, field = null }: FieldProps) {
  return (
    <label>
      {label}{' '}
      <input
        ref={field}
        inputMode={mode}
        size={size}
        value={value}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
  );
}
