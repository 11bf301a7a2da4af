/** Amounts of one token with their names. */
import { AmountText } from '../../page-parts/amount.tsx';
import { Fact } from '../../page-parts/node-facts.tsx';

/** `rows`: each name with its amount in the token's smallest unit. `kind`: another class of the list. */
export function AmountList({
  rows,
  token,
  kind = '',
}: {
  rows: readonly (readonly [name: string, units: string])[];
  token: string;
  kind?: string;
}) {
  return (
    <dl class={`figures ${kind}`.trim()}>
      {rows.map(([name, units]) => (
        <Fact key={name} name={name}>
          <AmountText value={BigInt(units)} token={token} />
        </Fact>
      ))}
    </dl>
  );
}
