/** `sluice export payments`: the payment history of a node, which may be running, as text. */
import { Command } from 'commander';
import { databaseChoiceOf } from './options/database.ts';
import { ADDRESS } from './options/key-choice.ts';
import { NODE_SETTINGS } from './options/node-choices.ts';
import { DATABASE, NETWORK_ID } from './options/node-settings.ts';
import { declare, defaulting, optional, readerOf } from './options/settings.ts';
import { date, oneOf } from './options/values.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

const FORMAT = defaulting(
  '--format <format>',
  'jsonl: an object of the API on each line; csv: a table with a line of names',
  oneOf(['jsonl', 'csv']),
  'jsonl',
);
const BEFORE = optional(
  '--before <date>',
  'only payments that ended before this day or moment, in UTC (default: all)',
  date,
);

export function exportCommand(): Command {
  const payments = new LateCommand('payments').description(
    'write the payment history to standard output, oldest first, in the words of the API',
  );
  const shown = [DATABASE, ADDRESS, NETWORK_ID, FORMAT, BEFORE];
  // A node's other options are accepted, so that its file of options can be given here, too.
  declare(payments, shown, NODE_SETTINGS);
  act(payments, async () => {
    const read = readerOf(payments);
    const choices = {
      format: read(FORMAT),
      before: read(BEFORE),
      database: databaseChoiceOf(read),
    };
    const { runExport } = await import('./run/export.ts');
    return runExport(choices);
  });
  return new Command('export')
    .description('write what a node, which may be running, has stored')
    .addCommand(payments);
}
