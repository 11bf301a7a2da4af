/** The page of one node. */
import { render } from 'preact';
import { createSource } from '../source.ts';
import { App } from './app.tsx';

const page = document.getElementById('page');
if (page === null) throw new Error('the document has no place for the page');
render(<App source={createSource('./')} />, page);
