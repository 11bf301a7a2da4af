/** The differences between two steps: the state, and each value of the context. */
import { TableHead } from '../../../page-parts/table-head.tsx';
import { type DiffRow, valuePath } from './diff.ts';
import type { PastState } from './timeline.ts';
import { ValueText } from './value.tsx';

type CompareProps = {
  before: PastState;
  after: PastState;
  rows: readonly DiffRow[];
};

const MARKS = { added: '+ added', removed: '− removed', changed: '~ changed' } as const;

export function Compare({ before, after, rows }: CompareProps) {
  const isSameState = before.state === after.state;
  return (
    <table class="compare">
      <TableHead columns={['What', 'Where', 'At A', 'At B']} />
      <tbody>
        <tr class={isSameState ? 'quiet' : undefined}>
          <td>{isSameState ? 'same' : MARKS.changed}</td>
          <th scope="row">state</th>
          <td class="code">{before.state ?? 'not known'}</td>
          <td class="code">{after.state ?? 'not known'}</td>
        </tr>
        {rows.map((row) => (
          <tr key={valuePath(row.path)}>
            <td class={`diff-${row.kind}`}>{MARKS[row.kind]}</td>
            <th scope="row" class="code">
              {valuePath(row.path)}
            </th>
            <td>
              {row.kind === 'added' ? null : (
                <ValueText value={row.before} name={row.path.at(-1)} />
              )}
            </td>
            <td>
              {row.kind === 'removed' ? null : (
                <ValueText value={row.after} name={row.path.at(-1)} />
              )}
            </td>
          </tr>
        ))}
        {rows.length === 0 && (
          <tr>
            <td colSpan={4} class="quiet">
              {before.isKnown && after.isKnown
                ? 'The contexts are the same.'
                : 'A context is not known: steps are missing.'}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
