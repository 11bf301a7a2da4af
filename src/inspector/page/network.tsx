/** The page over all nodes of a devnet. */
import { render } from 'preact';
import { NetworkPage } from './network/page.tsx';
import { watchNetwork } from './network/watch.ts';

const page = document.getElementById('page');
if (page === null) throw new Error('the document has no place for the page');
render(<NetworkPage watch={watchNetwork('./')} />, page);
