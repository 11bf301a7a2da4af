/** Two amounts on one bar: what this side can pay from the left, what the other can pay behind it. */
import { percentOf } from '../../../page-parts/digits.ts';
import { barOf } from '../../../page-parts/figure.ts';
import { amountText, tokenUnit } from '../../../page-parts/labels.ts';

type BarProps = {
  token: string;
  /** Whose amounts, as a figure claims them: `channel:…/own.capacity`. */
  own: { of: string; value: bigint };
  other: { of: string; value: bigint };
  /** What the whole bar stands for; the rest of it can be paid by nobody now. */
  whole: bigint;
  /** Nothing can be paid any more: the sides are what each has in the channel. */
  isClosed?: boolean;
};

export function SidesBar({ token, own, other, whole, isClosed = false }: BarProps) {
  const unit = tokenUnit(token);
  return (
    <div class={`sides-track${isClosed ? ' is-closed' : ''}`} data-track="" aria-hidden="true">
      <span
        class="sides-own"
        title={`this node ${isClosed ? 'has' : 'can pay'} ${amountText(own.value, token)}`}
        style={{ width: percentOf(own.value, whole) }}
        {...barOf({ ...own, unit }, whole)}
      />
      <span
        class="sides-other"
        title={`the partner ${isClosed ? 'has' : 'can pay'} ${amountText(other.value, token)}`}
        style={{ width: percentOf(other.value, whole) }}
        {...barOf({ ...other, unit }, whole, whole - other.value)}
      />
    </div>
  );
}
