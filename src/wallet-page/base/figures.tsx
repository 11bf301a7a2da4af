/** Figures of the wallet, each with what it claims. */

import type { WalletGas } from '../../http/wallet.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { percentOf } from '../../page-parts/digits.ts';
import { barOf, figureOf } from '../../page-parts/figure.ts';
import { personName, tokenUnit, wholeAmountText } from '../../page-parts/labels.ts';
import { Fact } from '../../page-parts/node-facts.tsx';
import type { WalletOrder } from '../state/order.ts';
import { type CostFacts, etherText, gasOf } from '../texts/costs.ts';
import { orderWords } from '../texts/orders.ts';
import type { Sum } from '../texts/sums.ts';

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

/** Every digit of an amount, where somebody decides about it. */
export function WholeAmount({ value, token, of }: { value: bigint; token: string; of: string }) {
  const claim = figureOf({ of, value, unit: tokenUnit(token) });
  return (
    <span class="amount" data-exact={`${value}`} {...claim}>
      {wholeAmountText(value, token)}
    </span>
  );
}

/** An order in words. `of`: whose the amount is. */
export function OrderTitle({ order, of }: { order: WalletOrder; of: string }) {
  const { before, units, after } = orderWords(order);
  return (
    <>
      {before}
      {units !== null && <WholeAmount value={units} token={order.token} of={`${of}/amount`} />}
      {after}
    </>
  );
}

/** What one payment can be of at most, and what all channels can carry together when that is more. */
export function Reach({ sum, way }: { sum: Sum; way: 'pay' | 'receive' }) {
  const { token } = sum;
  const { all, most, partner } = sum[way];
  const what = way === 'pay' ? 'can_pay' : 'can_receive';
  const amount = (value: bigint, name: string) => (
    <AmountText value={value} token={token} of={`token:${token}/${name}`} />
  );
  if (partner === null)
    return <>{way === 'pay' ? 'No channel can pay now.' : 'No partner can pay you now.'}</>;
  return (
    <>
      {way === 'pay' ? 'You can pay ' : 'You can receive '}
      {amount(most, `most_${what}`)} at most in one payment, over the channel with{' '}
      {personName(partner)}
      {all !== most && <>; {amount(all, what)} over all channels</>}.
    </>
  );
}

/** What transactions cost, at most, as a rule. */
export function GasCost({
  steps,
  facts,
}: {
  steps: readonly (keyof WalletGas)[];
  facts: CostFacts;
}) {
  const { units, wei, text } = gasOf(steps, facts);
  if (wei === null) return <>{text}; the price of gas is not known</>;
  return (
    <>
      {text}: <Ether wei={wei} of={`gas:${units}/wei`} /> at the price of now
    </>
  );
}

type SidesProps = { whose: string; token: string; canPay: bigint; canReceive: bigint };

/** What either side of a channel can pay: both amounts, and both as parts of one bar. */
export function Sides({ whose, token, canPay, canReceive }: SidesProps) {
  const whole = canPay + canReceive;
  const pay = { of: `${whose}/can_pay`, value: canPay, unit: tokenUnit(token) };
  const receive = { of: `${whose}/can_receive`, value: canReceive, unit: tokenUnit(token) };
  return (
    <div class="sides">
      <dl class="ends">
        <Fact name="You can pay">
          <AmountText value={canPay} token={token} of={pay.of} />
        </Fact>
        <Fact name="You can receive">
          <AmountText value={canReceive} token={token} of={receive.of} />
        </Fact>
      </dl>
      {whole > 0n && (
        <div class="track" data-track aria-hidden="true">
          <div class="own" style={{ width: percentOf(canPay, whole) }} {...barOf(pay, whole)} />
          <div
            class="other"
            style={{ width: percentOf(canReceive, whole) }}
            {...barOf(receive, whole, canPay)}
          />
        </div>
      )}
    </div>
  );
}
