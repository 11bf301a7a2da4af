/** `sluice replica`: the stream to which a node's database is replicated. */
import { Command } from 'commander';
import { NODE_OPTIONS } from './options/node-options.ts';
import {
  CREATE_OPTIONS,
  READER_OPTIONS,
  RENEW_OPTIONS,
  RESTORE_OPTIONS,
} from './options/replica.ts';
import { actWith, type Options, type Values } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';

export function replicaCommand(): Command {
  return new Command('replica')
    .description('the stream to which the database of a node is replicated')
    .addCommand(
      command('create', 'make the stream at the broker', CREATE_OPTIONS, async (options) => {
        const { create } = await import('./run/replica.ts');
        return create(options);
      }),
    )
    .addCommand(
      command(
        'status',
        'how far the node and its standbys have come',
        READER_OPTIONS,
        async (reader) => {
          const { status } = await import('./run/replica.ts');
          return status(reader);
        },
      ),
    )
    .addCommand(
      command(
        'takeover',
        'let a standby take the place of the node',
        READER_OPTIONS,
        async (reader) => {
          const { takeover } = await import('./run/replica.ts');
          return takeover(reader);
        },
      ),
    )
    .addCommand(
      command(
        'renew',
        'begin the stream anew when the broker has lost it',
        RENEW_OPTIONS,
        async (options) => {
          const { renew } = await import('./run/replica.ts');
          return renew(options);
        },
      ),
    )
    .addCommand(
      command(
        'restore',
        'build the database of the node from the stream',
        RESTORE_OPTIONS,
        async (options) => {
          const { restoreDatabase } = await import('./run/replica.ts');
          return restoreDatabase(options);
        },
      ),
    );
}

function command<O extends Options>(
  name: string,
  text: string,
  options: O,
  work: (values: Values<O>) => Promise<number>,
): Command {
  return actWith(new LateCommand(name).description(text), options, work, NODE_OPTIONS);
}
