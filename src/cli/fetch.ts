/** `sluice fetch URL`: asks for something that may cost, and pays for it with a node. */
import { type Command, Option } from 'commander';
import { FETCH_SETTINGS, fetchChoicesOf } from './options/fetch.ts';
import { declare, readerOf } from './options/settings.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

export function fetchCommand(): Command {
  const command = new LateCommand('fetch')
    .description('ask for a URL that may cost something, and pay for it over channels (x402)')
    .argument('<url>', 'what to ask for')
    .addOption(
      new Option(
        '-H, --header <line>',
        'a header, such as "Accept: text/plain"; several times',
      ).argParser((line: string, before: string[] | undefined) => [...(before ?? []), line]),
    );
  return act(declare(command, FETCH_SETTINGS), async (url: string) => {
    const given: { header?: string[] } = command.opts();
    const choices = { ...fetchChoicesOf(readerOf(command)), headers: given.header ?? [] };
    const { fetchPaid } = await import('./run/fetch.ts');
    return fetchPaid(url, choices);
  });
}
