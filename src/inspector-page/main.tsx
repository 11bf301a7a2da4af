/** The page of one node. */
import { render } from 'preact';
import { createSource } from '../inspector/source.ts';
import { copyExactAmounts } from '../page-parts/amount.tsx';
import { applyStoredTheme } from '../page-parts/theme.tsx';
import { storedToken } from '../page-parts/token.tsx';
import { applyStoredUnits } from '../page-parts/units.tsx';
import { InspectorApp } from './app.tsx';

const page = document.getElementById('page');
if (page === null) throw new Error('the document has no place for the page');
applyStoredTheme();
const source = createSource('./');
source.setToken(storedToken());
applyStoredUnits();
copyExactAmounts();
render(<InspectorApp source={source} />, page);
