/** The page of one node. */
import { render } from 'preact';
import { createSource } from '../source.ts';
import { App } from './app.tsx';
import { applyStoredTheme } from './frame/theme.tsx';
import { storedToken } from './frame/token.tsx';

const page = document.getElementById('page');
if (page === null) throw new Error('the document has no place for the page');
applyStoredTheme();
const source = createSource('./');
source.setToken(storedToken());
render(<App source={source} />, page);
