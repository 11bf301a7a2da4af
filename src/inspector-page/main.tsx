/** The page of one node. */
import { render } from 'preact';
import { createSource } from '../inspector/source.ts';
import { copyExactAmounts } from './amount.tsx';
import { App } from './app.tsx';
import { applyStoredTheme } from './frame/theme.tsx';
import { storedToken } from './frame/token.tsx';
import { applyStoredUnits } from './frame/units.tsx';

const page = document.getElementById('page');
if (page === null) throw new Error('the document has no place for the page');
applyStoredTheme();
const source = createSource('./');
source.setToken(storedToken());
applyStoredUnits();
copyExactAmounts();
render(<App source={source} />, page);
