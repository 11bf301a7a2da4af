/** `sluice backup`: a copy of the database of a node, which may be running. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { type Backup, backUp } from '../store/backup.ts';
import { databaseOf } from './database.ts';
import { ADDRESS } from './key.ts';
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
  const database = databaseOf(read);
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
