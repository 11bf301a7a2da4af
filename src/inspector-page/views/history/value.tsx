/** Components that show values of contexts, events and effects. */
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { AmountText } from '../../../page-parts/amount.tsx';
import { explorerLink } from '../../../page-parts/labels.ts';
import { valuePath } from './diff.ts';
import { isAmount, isBranch, redactionOf, showValue, showWhole } from './values.ts';

/** The token of the amounts that are shown; null: it is not known. */
export const AmountsToken = createContext<string | null>(null);

/** One value on one line; the uncut value is in the title. */
export function ValueText({ value, name }: { value: unknown; name?: string | undefined }) {
  const token = useContext(AmountsToken);
  if (isAmount(value, name ?? ''))
    return (
      <span class="value value-bigint">
        <AmountText value={value} token={token} of={null} />
      </span>
    );
  const text = showValue(value, name);
  const whole = showWhole(value, name);
  const link = isTransaction(name) && typeof value === 'string' ? explorerLink(value) : null;
  if (link !== null)
    return (
      <a class="value value-string" href={link} target="_blank" rel="noreferrer" title={whole}>
        {text}
      </a>
    );
  const kind = redactionOf(value) === null ? typeof value : 'hidden';
  return (
    <span class={`value value-${kind}`} title={whole === text ? undefined : whole}>
      {text}
    </span>
  );
}

function isTransaction(name: string | undefined): boolean {
  return name !== undefined && /transactionHash$/i.test(name);
}

type TreeProps = {
  value: unknown;
  label: string;
  /** Paths (`pathText`) of changed values and of the objects around them. */
  changed?: ReadonlySet<string>;
  /** Branches down to this depth are open at first. */
  openDepth?: number;
};

const NOTHING_CHANGED: ReadonlySet<string> = new Set();

/** A value as a tree that can be opened and closed; what the reader opened or closed stays so when values change. */
export function ValueTree({ value, label, changed = NOTHING_CHANGED, openDepth = 2 }: TreeProps) {
  const [turned, setTurned] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (path: readonly string[]) =>
    turned.get(valuePath(path)) ?? (path.length < openDepth || changed.has(valuePath(path)));
  const turn = (path: readonly string[]) =>
    setTurned(new Map(turned).set(valuePath(path), !isOpen(path)));
  if (!isBranch(value)) return <ValueText value={value} />;
  return (
    <Branch value={value} label={label} changed={changed} isOpen={isOpen} turn={turn} path={[]} />
  );
}

type BranchProps = {
  value: object;
  label?: string;
  path: readonly string[];
  changed: ReadonlySet<string>;
  isOpen: (path: readonly string[]) => boolean;
  turn: (path: readonly string[]) => void;
};

function Branch({ value, label, path, ...rest }: BranchProps) {
  return (
    <ul class="tree" aria-label={label}>
      {Object.entries(value).map(([name, inner]) => (
        <Field key={name} name={name} value={inner} path={[...path, name]} {...rest} />
      ))}
    </ul>
  );
}

function Field({
  name,
  value,
  path,
  changed,
  isOpen,
  turn,
}: Omit<BranchProps, 'value' | 'label'> & { name: string; value: unknown }) {
  const isChanged = changed.has(valuePath(path));
  const mark = isChanged ? <span class="changed-mark">changed</span> : null;
  if (!isBranch(value) || Object.entries(value).length === 0) {
    return (
      <li class={isChanged ? 'field is-changed' : 'field'}>
        <span class="field-name">{name}</span>
        <ValueText value={value} name={name} />
        {mark}
      </li>
    );
  }
  const open = isOpen(path);
  return (
    <li>
      <button type="button" class="field turn" aria-expanded={open} onClick={() => turn(path)}>
        <span class="field-name">{name}</span>
        <span class="value value-size">{showValue(value)}</span>
        {mark}
      </button>
      {open && <Branch value={value} path={path} changed={changed} isOpen={isOpen} turn={turn} />}
    </li>
  );
}
