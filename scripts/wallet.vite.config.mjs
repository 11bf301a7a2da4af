// The wallet's page.
import { pageConfig } from './page-config.mjs';

export default pageConfig('wallet-page', ['index']);
