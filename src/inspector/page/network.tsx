/** The page over all nodes of a devnet, or of a simulation. */
import { render } from 'preact';
import { NetworkPage } from './network/page.tsx';

const page = document.getElementById('page');
if (page === null) throw new Error('the document has no place for the page');
render(<NetworkPage base="./" />, page);
