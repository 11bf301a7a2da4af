/** The page's frame and the open view. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { zoneText } from '../page-parts/clock.ts';
import { SkipButton, usePlace } from '../page-parts/place.tsx';
import { ProblemNote } from '../page-parts/problem.tsx';
import { TokenPrompt } from '../page-parts/token.tsx';
import { Nav, OrderList, WalletHeader } from './frame.tsx';
import { TITLES, type WalletPlace, walletPlaceOf } from './state/router.ts';
import type { Wallet, WalletNode } from './state/wallet.ts';
import { AskView } from './views/ask.tsx';
import { BalancesView } from './views/balances.tsx';
import { ChannelsView } from './views/channels.tsx';
import { HistoryView } from './views/history.tsx';
import { MessagesView } from './views/messages.tsx';
import { PayView } from './views/pay.tsx';
import { ServicesView } from './views/services.tsx';

export function WalletApp({ wallet }: { wallet: Wallet }) {
  const place = usePlace(walletPlaceOf);
  return (
    <>
      <SkipButton />
      <WalletHeader wallet={wallet} />
      <main id="content" tabIndex={-1}>
        <Content wallet={wallet} place={place} />
      </main>
    </>
  );
}

function Content({ wallet, place }: { wallet: Wallet; place: WalletPlace }) {
  // Counts the tokens that were entered: with another token everything below is read again.
  const [tokens, setTokens] = useState(0);
  const facts = wallet.facts.value;
  if (wallet.connection.value === 'token') {
    return (
      <TokenPrompt
        verb="Open the wallet"
        isRefused={tokens > 0}
        onToken={(token) => {
          setTokens(tokens + 1);
          wallet.setToken(token);
        }}
      />
    );
  }
  if (facts === null) return <p class="waiting">Waiting for the node …</p>;
  return (
    <>
      <Nav view={place.view} wallet={wallet} />
      <OrderList wallet={wallet} />
      <p role="status" class="hint">
        {wallet.isBehind.value &&
          'The node answers one call after the other, and one takes long: what is in channels may be older.'}
      </p>
      <ProblemNote text={wallet.problem.value} />
      <Heading key={place.view} text={TITLES[place.view]} />
      <OpenView key={`${tokens}:${place.view}:${place.rest}`} {...{ wallet, place, facts }} />
      <p class="hint zone">Times: {zoneText()}</p>
    </>
  );
}

type ViewProps = { wallet: Wallet; place: WalletPlace; facts: WalletNode };

function OpenView({ wallet, place, facts }: ViewProps) {
  if (place.view === 'pay') return <PayView {...{ wallet, facts }} link={place.rest} />;
  if (place.view === 'ask') return <AskView {...{ wallet, facts }} />;
  if (place.view === 'channels') return <ChannelsView {...{ wallet, facts }} />;
  if (place.view === 'history') return <HistoryView {...{ wallet, facts }} />;
  if (place.view === 'messages') return <MessagesView wallet={wallet} />;
  if (place.view === 'services') return <ServicesView {...{ wallet, facts }} />;
  return <BalancesView {...{ wallet, facts }} />;
}

/** Whether a view was open before: on the first one the focus stays where the browser put it. */
let hasOpened = false;

function Heading({ text }: { text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasOpened) heading.current?.focus();
    hasOpened = true;
    document.title = `${text} · sluice wallet`;
  }, [text]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {text}
    </h1>
  );
}
