/** Copies the database of a node into a file. */
import { resolve } from 'node:path';
import { type Backup, backUp } from '../../store/durability/backup.ts';
import type { BACKUP_OPTIONS } from '../options/database.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { print, refuse, say } from '../process/terminal.ts';
import { databaseOf } from './database.ts';

/** The exit code. */
export function runBackup({
  choice,
  output,
  isJson,
  ...left
}: Values<typeof BACKUP_OPTIONS>): number {
  left satisfies Nothing;
  const database = databaseOf(choice);
  if (!database.ok) return refuse(database.message);
  const made = backUp({ url: database.value, output: resolve(output), now: new Date() });
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
