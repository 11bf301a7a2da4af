/** `sluice compact`: gives the free room in the database of a node that does not run back to the file system. */
import { Command } from 'commander';
import { compact } from '../store/file-size.ts';
import { databaseOf } from './database.ts';
import { ADDRESS } from './key.ts';
import { NODE_SETTINGS } from './node.ts';
import { DATABASE, NETWORK_ID } from './node-settings.ts';
import { declare, type Read, readerOf } from './settings.ts';
import { print, refuse } from './terminal.ts';

export function compactCommand(): Command {
  const command = new Command('compact').description(
    'write the database of a node that does not run anew, without the room that is free in it',
  );
  // A node's other options are accepted, so that its file of options can be given here, too.
  return declare(command, [DATABASE, ADDRESS, NETWORK_ID], NODE_SETTINGS).action(() => {
    process.exit(runCompact(readerOf(command)));
  });
}

/** The exit code. */
function runCompact(read: Read): number {
  const database = databaseOf(read);
  if (!database.ok) return refuse(database.message);
  const done = compact(database.value);
  if (!done.ok) return refuse(done.message);
  const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
  print(`${megabytes(done.before)} MB before, ${megabytes(done.after)} MB now`);
  return 0;
}
