/** Every row of the table, asked of nodes of this process in virtual time. */
import { askAll } from './ask-all.ts';
import { virtualGround } from './virtual-ground.ts';

askAll(virtualGround);
