/** `sluice fetch URL`: asks for something that may cost, and pays for it with a node. */
import { type Command, Option } from 'commander';
import { FETCH_OPTIONS } from './options/fetch.ts';
import { actWith } from './options/settings.ts';
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
  return actWith(command, FETCH_OPTIONS, async (options, url: string) => {
    const { header = [] }: { header?: string[] } = command.opts();
    const { fetchPaid } = await import('./run/fetch.ts');
    return fetchPaid(url, header, options);
  });
}
