/** The page over all nodes of a devnet, or of a simulation. */
import { render } from 'preact';
import { copyExactAmounts } from '../page-parts/amount.tsx';
import { applyStoredUnits } from '../page-parts/units.tsx';
import { NetworkPage } from './network/page.tsx';

const page = document.getElementById('page');
if (page === null) throw new Error('the document has no place for the page');
applyStoredUnits();
copyExactAmounts();
render(<NetworkPage base="./" />, page);
