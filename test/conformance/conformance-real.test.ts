/** Every row of the table, asked over HTTP of nodes with database files, on anvil. */
import { askAll } from './ask-all.ts';
import { realGround } from './real-ground.ts';

askAll(() => realGround);
