/** The bar above every view, what is bad, the views' links, and what was asked for. */
import { ConnectionMark } from '../page-parts/connection-mark.tsx';
import { BarFacts } from '../page-parts/node-facts.tsx';
import { ThemeSwitch } from '../page-parts/theme.tsx';
import { Troubles } from '../page-parts/troubles.tsx';
import { UnitsSwitch } from '../page-parts/units.tsx';
import { OrderTitle } from './base/figures.tsx';
import type { Placed } from './state/order.ts';
import { TITLES, VIEWS, type View, viewHash } from './state/router.ts';
import type { Wallet } from './state/wallet.ts';
import { orderStateText, orderText } from './texts/orders.ts';

export function WalletHeader({ wallet }: { wallet: Wallet }) {
  const facts = wallet.facts.value;
  return (
    <>
      <header class="bar">
        <a class="brand" href={viewHash('balances')}>
          sluice <span>wallet</span>
        </a>
        <BarFacts facts={facts} />
        <ConnectionMark connection={wallet.connection.value} />
        <UnitsSwitch />
        <ThemeSwitch />
      </header>
      <Troubles troubles={facts?.troubles ?? []} />
    </>
  );
}

export function Nav({ view, wallet }: { view: View; wallet: Wallet }) {
  const unread = wallet.messages.list.value.length;
  return (
    <nav class="tabs" aria-label="Wallet">
      {VIEWS.map((one) => (
        <a key={one} href={viewHash(one)} aria-current={one === view ? 'page' : undefined}>
          {TITLES[one]}
          {one === 'messages' && unread > 0 ? ` (${unread})` : ''}
        </a>
      ))}
    </nav>
  );
}

/** What was asked for in this tab, with what became of it. */
export function OrderList({ wallet }: { wallet: Wallet }) {
  const { orders } = wallet;
  const placed = orders.placed.value;
  return (
    <section
      id="orders"
      class="orders"
      tabIndex={-1}
      aria-label="What you asked for"
      hidden={placed.length === 0}
    >
      <ul>
        {placed.map((one) => (
          <OrderLine
            key={one.key}
            one={one}
            onAgain={orders.mayAskAgain(one) ? () => orders.again(one.key) : null}
            onForget={() => orders.forget(one.key)}
          />
        ))}
      </ul>
    </section>
  );
}

type LineProps = { one: Placed; onAgain: (() => void) | null; onForget(): void };

function OrderLine({ one, onAgain, onForget }: LineProps) {
  const { mark, text } = orderStateText(one);
  const what = orderText(one.order);
  return (
    <li data-state={one.state}>
      <p role="status">
        <span aria-hidden="true">{mark}</span>{' '}
        <strong>
          <OrderTitle order={one.order} of={`order:${one.key}`} />
        </strong>
        <br />
        {text} {one.reason}
      </p>
      <p class="buttons">
        {onAgain !== null && (
          <button
            type="button"
            aria-label={`Ask again: ${what}`}
            title="Under the same key: it is done once at most"
            onClick={onAgain}
          >
            Ask again
          </button>
        )}
        {one.state !== 'asking' && (
          <button type="button" aria-label={`Dismiss: ${what}`} onClick={onForget}>
            Dismiss
          </button>
        )}
      </p>
    </li>
  );
}
