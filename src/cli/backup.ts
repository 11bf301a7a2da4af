/** `sluice backup`: a copy of the database of a node, which may be running. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { defaultDatabase } from '../host/claim.ts';
import type { Address } from '../protocol/hex.ts';
import { type Backup, backUp } from '../store/backup.ts';
import { dataFolder } from './folders.ts';
import { ADDRESS, type Found } from './key.ts';
import { NODE_SETTINGS } from './node.ts';
import { DATABASE, NETWORK_ID } from './node-settings.ts';
import { declare, flag, type Read, readerOf, required } from './settings.ts';
import { print, refuse, say } from './terminal.ts';
import { text } from './values.ts';

const OUTPUT = required('--output <file>', 'the file to write; it must not be there', text);
export const JSON_OUTPUT = flag('--json', 'print the result as JSON');

export function backupCommand(): Command {
  const command = new Command('backup').description(
    'copy the database of a node, which may be running, into a file',
  );
  const shown = [DATABASE, ADDRESS, NETWORK_ID, OUTPUT, JSON_OUTPUT];
  // A node's other options are accepted, so that its file of options can be given here, too.
  return declare(command, shown, NODE_SETTINGS).action(() => {
    process.exit(runBackup(readerOf(command)));
  });
}

/** The exit code. */
function runBackup(read: Read): number {
  const output = resolve(read(OUTPUT));
  const isJson = read(JSON_OUTPUT);
  const database = databaseOf({
    given: read(DATABASE),
    address: read(ADDRESS),
    networkId: read(NETWORK_ID),
  });
  if (!database.ok) return refuse(database.message);
  const made = backUp({ url: database.value, output, now: new Date() });
  if (!made.ok) return refuse(made.message);
  print(isJson ? JSON.stringify(made.value, null, 2) : forPeople(made.value));
  say(
    'The key is not in it: keep its file in the keystore and the password, too. What partners pay from now ' +
      'on is not in it either: it is for the day when the database itself is lost.',
  );
  return 0;
}

type Choice = { given: string | null; address: Address | null; networkId: bigint | null };

/** The database that is named, or else the only matching one in the data folder. */
function databaseOf({ given, address, networkId }: Choice): Found<string> {
  if (given !== null) return { ok: true, value: given };
  const folder = dataFolder();
  const fitting = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => {
    const [, chain, owner] = /^(\d+)-[0-9a-fA-F]{8}-(0x[0-9a-fA-F]{40})$/.exec(name) ?? [];
    if (chain === undefined || !existsSync(join(folder, name, 'node.db'))) return false;
    return (
      (address === null || owner === address) && (networkId === null || BigInt(chain) === networkId)
    );
  });
  const [only, ...others] = fitting;
  if (only === undefined)
    return { ok: false, message: `there is no such database in ${folder}: give --database` };
  if (others.length === 0) return { ok: true, value: defaultDatabase(folder, only) };
  const what = `there are several databases in ${folder}: ${fitting.join(', ')}`;
  return {
    ok: false,
    message: `${what}. Choose by --address and --network-id, or give --database`,
  };
}

function forPeople(backup: Backup): string {
  const lines = [
    ['file', backup.file],
    ['time', backup.time],
    ['node', backup.ownAddress],
    ['chain', backup.chainId],
    ['registry', backup.tokenNetworkRegistry],
    ['block', backup.block],
    ['channels', backup.channels],
    ['payments', backup.payments],
    ['step', backup.seq],
    ['bytes', backup.bytes],
    ['sha256', backup.sha256],
  ];
  return lines.map(([name, value]) => `${String(name).padEnd(9)} ${value ?? '-'}`).join('\n');
}
