/** Which database a command is about that needs no running node. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDatabase } from '../../host/database/claim.ts';
import type { DatabaseChoice } from '../options/database.ts';
import type { Nothing } from '../options/settings.ts';
import { dataFolder } from '../process/folders.ts';
import { type Found, found, wrong } from '../process/found.ts';

/** The database that is named, or else the only matching one in the data folder. */
export function databaseOf({
  database,
  address,
  networkId,
  ...left
}: DatabaseChoice): Found<string> {
  left satisfies Nothing;
  if (database !== null) return found(database);
  const folder = dataFolder();
  const fitting = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => {
    const [, chain, owner] = /^(\d+)-[0-9a-fA-F]{8}-(0x[0-9a-fA-F]{40})$/.exec(name) ?? [];
    if (chain === undefined || !existsSync(join(folder, name, 'node.db'))) return false;
    return (
      (address === null || owner === address) && (networkId === null || BigInt(chain) === networkId)
    );
  });
  const [only, ...others] = fitting;
  if (only === undefined) return wrong(`there is no such database in ${folder}: give --database`);
  if (others.length === 0) return found(defaultDatabase(folder, only));
  const what = `there are several databases in ${folder}: ${fitting.join(', ')}`;
  return wrong(`${what}. Choose by --address and --network-id, or give --database`);
}
