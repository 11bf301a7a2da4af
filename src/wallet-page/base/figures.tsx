/** Figures of the wallet, each with what it claims. */
import { AmountText } from '../../page-parts/amount.tsx';
import { figureOf } from '../../page-parts/figure.ts';
import { Fact } from '../../page-parts/node-facts.tsx';
import { etherText } from '../texts/costs.ts';

/** `rows`: each name with its amount in the token's smallest unit, and what that claims to be. `kind`: another class of the list. */
export function AmountList({
  rows,
  token,
  kind = '',
}: {
  rows: readonly (readonly [name: string, units: string, of: string])[];
  token: string;
  kind?: string;
}) {
  return (
    <dl class={`figures ${kind}`.trim()}>
      {rows.map(([name, units, of]) => (
        <Fact key={name} name={name}>
          <AmountText value={BigInt(units)} token={token} of={of} />
        </Fact>
      ))}
    </dl>
  );
}

/** Wei, in ether. */
export function Ether({ wei, of }: { wei: bigint; of: string }) {
  return <span {...figureOf({ of, value: wei, unit: 'wei' })}>{etherText(wei)}</span>;
}
