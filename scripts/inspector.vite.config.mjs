// The inspector's pages: of one node, and of a devnet.
import { pageConfig } from './page-config.mjs';

export default pageConfig('inspector-page', ['index', 'network']);
