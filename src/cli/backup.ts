/** `sluice backup`: a copy of the database of a node, which may be running. */
import type { Command } from 'commander';
import { databaseChoiceOf } from './options/database.ts';
import { ADDRESS } from './options/key-choice.ts';
import { NODE_SETTINGS } from './options/node-choices.ts';
import { DATABASE, NETWORK_ID } from './options/node-settings.ts';
import { declare, flag, readerOf, required } from './options/settings.ts';
import { text } from './options/values.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

const OUTPUT = required('--output <file>', 'the file to write; it must not be there', text);
export const JSON_OUTPUT = flag('--json', 'print the result as JSON');

export function backupCommand(): Command {
  const command = new LateCommand('backup').description(
    'copy the database of a node, which may be running, into a file',
  );
  const shown = [DATABASE, ADDRESS, NETWORK_ID, OUTPUT, JSON_OUTPUT];
  // A node's other options are accepted, so that its file of options can be given here, too.
  declare(command, shown, NODE_SETTINGS);
  return act(command, async () => {
    const read = readerOf(command);
    const choices = {
      output: read(OUTPUT),
      isJson: read(JSON_OUTPUT),
      database: databaseChoiceOf(read),
    };
    const { runBackup } = await import('./run/backup.ts');
    return runBackup(choices);
  });
}
