/** The step before an order is placed: what it does, what it costs and how long it takes. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Copy } from '../../page-parts/copy.tsx';
import { Fact } from '../../page-parts/node-facts.tsx';
import { OrderTitle } from '../base/figures.tsx';
import type { WalletOrder } from '../state/order.ts';
import type { Wallet } from '../state/wallet.ts';

/** `address`: shown in full, to be compared. `key`: drawn once for what is confirmed, so that it is done once. */
export type Intent = {
  order: WalletOrder;
  key: string;
  verb: string;
  address: string | null;
  cost: ComponentChildren;
  time: string;
  warning: ComponentChildren;
};

type ConfirmProps = { wallet: Wallet; intent: Intent; onClose(isPlaced: boolean): void };

export function Confirm({ wallet, intent, onClose }: ConfirmProps) {
  const { order, key, verb, address, cost, time, warning } = intent;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const isEnded = useRef(false);
  // At once, and not with the event `close`, which comes later: the next Enter may come before it.
  const end = (isPlaced: boolean) => {
    if (isEnded.current) return;
    isEnded.current = true;
    dialog.current?.close();
    onClose(isPlaced);
  };
  useEffect(() => {
    dialog.current?.showModal();
    // Not a button: the key Enter that sent the form may still be down.
    heading.current?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="confirm"
      aria-labelledby="confirm-title"
      onCancel={(event) => {
        event.preventDefault();
        end(false);
      }}
      onClose={() => end(false)}
    >
      <h2 id="confirm-title" ref={heading} tabIndex={-1}>
        <OrderTitle order={order} of={`order:${key}`} />?
      </h2>
      {warning !== null && (
        <p class="problem" role="alert">
          {warning}
        </p>
      )}
      <dl class="figures">
        {address !== null && (
          <Fact name="Address">
            <Copy label="address" text={address} shown={address} />
          </Fact>
        )}
        <Fact name="Costs">{cost}</Fact>
        <Fact name="Takes">{time}</Fact>
      </dl>
      <p class="buttons">
        <button
          type="button"
          class="main"
          onClick={() => {
            wallet.orders.place(order, key);
            end(true);
          }}
        >
          {verb}
        </button>
        <button type="button" onClick={() => end(false)}>
          Back
        </button>
      </p>
    </dialog>
  );
}
