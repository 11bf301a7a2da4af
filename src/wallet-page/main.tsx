/** The wallet of one node. */
import { render } from 'preact';
import { copyExactAmounts } from '../page-parts/amount.tsx';
import { applyStoredTheme } from '../page-parts/theme.tsx';
import { applyStoredUnits } from '../page-parts/units.tsx';
import { WalletApp } from './app.tsx';
import { createWallet } from './state/wallet.ts';

const page = document.getElementById('page');
if (page === null) throw new Error('the document has no place for the page');
applyStoredTheme();
applyStoredUnits();
copyExactAmounts();
// The API is beside the page, also behind a proxy that adds a prefix to the path.
const wallet = createWallet(new URL('..', location.href).href);
addEventListener('beforeunload', (event) => {
  if (wallet.orders.isAsking()) event.preventDefault();
});
render(<WalletApp wallet={wallet} />, page);
