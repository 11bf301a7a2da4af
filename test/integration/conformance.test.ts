/** Every row of the table, asked over HTTP of nodes with database files, on anvil. */
import { askAll } from '../conformance/ask-all.ts';
import { realGround } from '../conformance/real-ground.ts';

askAll(() => realGround);
