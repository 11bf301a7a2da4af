/** A form of one amount, in a line. */
import { useState } from 'preact/hooks';
import type { Wallet, WalletNode } from '../state/wallet.ts';
import { typedAmount } from '../texts/amounts.ts';
import type { Intent } from './confirm.tsx';
import { FormField } from './fields.tsx';
import { tokenOf } from './tokens.ts';
import { useConfirm } from './use-confirm.tsx';

type AmountFormProps = {
  wallet: Wallet;
  facts: WalletNode;
  token: string;
  verb: string;
  /** The form's name; absent: the verb. */
  name?: string;
  hint?: string;
  intentOf(units: bigint): Intent;
};

export function AmountForm({ wallet, facts, token, verb, ...more }: AmountFormProps) {
  const { name = verb, hint = '', intentOf } = more;
  const [text, setText] = useState('');
  const { dialog, confirm } = useConfirm(wallet, () => setText(''));
  const { decimals, symbol } = tokenOf(facts, token);
  const amount = typedAmount(text, decimals, symbol);
  return (
    <form
      class="inline"
      aria-label={name}
      onSubmit={(event) => {
        event.preventDefault();
        if (amount.ok) confirm(intentOf(amount.units));
      }}
    >
      <FormField
        label={`${verb}, ${symbol}`}
        value={text}
        isDecimal
        hint={hint}
        problem={amount.ok ? null : amount.message}
        onInput={setText}
      />
      <button type="submit" disabled={!amount.ok}>
        {verb} …
      </button>
      {dialog}
    </form>
  );
}
