/** `sluice backup`: a copy of the database of a node, which may be running. */
import type { Command } from 'commander';
import { BACKUP_OPTIONS } from './options/database.ts';
import { NODE_OPTIONS } from './options/node-options.ts';
import { actWith } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';

export function backupCommand(): Command {
  const command = new LateCommand('backup').description(
    'copy the database of a node, which may be running, into a file',
  );
  return actWith(
    command,
    BACKUP_OPTIONS,
    async (options) => {
      const { runBackup } = await import('./run/backup.ts');
      return runBackup(options);
    },
    // A node's other options are accepted, so that its file of options can be given here, too.
    NODE_OPTIONS,
  );
}
