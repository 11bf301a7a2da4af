/** `sluice export payments`: the payment history of a node, which may be running, as text. */
import { Command } from 'commander';
import { EXPORT_OPTIONS } from './options/database.ts';
import { NODE_OPTIONS } from './options/node-options.ts';
import { actWith } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';

export function exportCommand(): Command {
  const payments = new LateCommand('payments').description(
    'write the payment history to standard output, oldest first, in the words of the API',
  );
  actWith(
    payments,
    EXPORT_OPTIONS,
    async (options) => {
      const { runExport } = await import('./run/export.ts');
      return runExport(options);
    },
    // A node's other options are accepted, so that its file of options can be given here, too.
    NODE_OPTIONS,
  );
  return new Command('export')
    .description('write what a node, which may be running, has stored')
    .addCommand(payments);
}
