/** A form's confirming step. */
import { useState } from 'preact/hooks';
import type { WalletOrder } from '../state/order.ts';
import type { Wallet } from '../state/wallet.ts';
import { Confirm, type Intent } from './confirm.tsx';

/** `onPlaced`: called when the person has confirmed. */
export function useConfirm(wallet: Wallet, onPlaced: () => void = () => {}) {
  const [intent, setIntent] = useState<Intent | null>(null);
  const dialog = intent !== null && (
    <Confirm
      key={intent.key}
      wallet={wallet}
      intent={{ ...intent, warning: intent.warning ?? twinOf(wallet, intent.order) }}
      onClose={(isPlaced) => {
        setIntent(null);
        if (!isPlaced) return;
        onPlaced();
        // There it says what becomes of it; the button that had the focus is perhaps disabled now.
        document.getElementById('orders')?.focus();
      }}
    />
  );
  // What is asked while the question is open, as by a key that is held down, is the same question.
  const confirm = (given: Intent) => setIntent((open) => open ?? given);
  return { dialog, confirm };
}

/** What to say when the very same was asked for before, and may still be done. */
function twinOf({ orders }: Wallet, order: WalletOrder): string | null {
  const same = JSON.stringify(order);
  const isOpen = orders.placed.value.some(
    (one) =>
      ['asking', 'left', 'pending'].includes(one.state) && JSON.stringify(one.order) === same,
  );
  return isOpen ? 'You have asked for the same before, and it may still be done. Once more?' : null;
}
