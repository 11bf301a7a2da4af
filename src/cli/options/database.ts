/** The options that say which database a command is about that needs no running node. */
import type { Address } from '../../basics/hex.ts';
import { ADDRESS } from './key-choice.ts';
import { DATABASE, NETWORK_ID } from './node-settings.ts';
import type { Read } from './settings.ts';

/** `given`: the database itself; `address` and `networkId` choose among those of this user. Null: not given. */
export type DatabaseChoice = {
  given: string | null;
  address: Address | null;
  networkId: bigint | null;
};

export function databaseChoiceOf(read: Read): DatabaseChoice {
  return { given: read(DATABASE), address: read(ADDRESS), networkId: read(NETWORK_ID) };
}
