/** Every row of the table, asked of nodes of this process in virtual time. */
import { askAll } from './ask-all.ts';
import { startVirtualDevnet } from './devnet.ts';

askAll(() => startVirtualDevnet());
