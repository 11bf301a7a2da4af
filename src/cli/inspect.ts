/** `sluice inspect URL [actor]`: shows the inspector in the terminal. It only reads. */
import type { Command } from 'commander';
import { INSPECT_OPTIONS } from './options/inspect.ts';
import { actWith } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';

export function inspectCommand(): Command {
  const command = new LateCommand('inspect')
    .description(
      'watch the channels and payments of a running node, or one of them, as state charts',
    )
    .argument('<url>', "the node's API, e.g. http://127.0.0.1:5001")
    .argument(
      '[actor]',
      'an actor by its id, the beginning of it, or the identifier of its payment',
    );
  return actWith(command, INSPECT_OPTIONS, async (options, url: string, actor?: string) => {
    const { inspect } = await import('./run/inspect.ts');
    return inspect(url, actor ?? null, options);
  });
}
