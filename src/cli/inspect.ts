/** `sluice inspect URL [actor]`: shows the inspector in the terminal. It only reads. */
import type { Command } from 'commander';
import { declare, defaulting, flag, optional, type Read, readerOf } from './options/settings.ts';
import { text, wholeNumber } from './options/values.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

const FILTERS = {
  machine: optional('--machine <name>', 'only actors of this machine, such as channel', text),
  state: optional('--state <state>', 'only actors in this state or one within it', text),
  token: optional('--token <address>', 'only actors of this token', text),
  partner: optional('--partner <address>', 'only actors that have to do with this partner', text),
  payment: optional(
    '--payment <id>',
    'only what belongs to this payment: identifier or hash',
    text,
  ),
};
const ONCE = flag('--once', 'print what there is now and end');
const STEPS = defaulting(
  '--steps <n>',
  'past steps of an actor to show',
  wholeNumber(0, 500),
  '20',
);
const FROM = optional(
  '--from <step>',
  'follow from the step after this number of the journal',
  wholeNumber(0, 999_999_999_999_999),
);
const JSON_LINES = flag('--json', 'print records as lines of JSON');
const TOKEN_FILE = optional('--token-file <file>', 'file with a token of the API', text);
const SETTINGS = [...Object.values(FILTERS), ONCE, STEPS, FROM, JSON_LINES, TOKEN_FILE];

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
  return act(declare(command, SETTINGS), async (url: string, actor: string | undefined) => {
    const choices = choicesOf(readerOf(command));
    const { inspect } = await import('./run/inspect.ts');
    return inspect(url, actor ?? null, choices);
  });
}

function choicesOf(read: Read) {
  return {
    tokenFile: read(TOKEN_FILE),
    isJson: read(JSON_LINES),
    filter: {
      machine: read(FILTERS.machine),
      state: read(FILTERS.state),
      token: read(FILTERS.token),
      partner: read(FILTERS.partner),
      payment: read(FILTERS.payment),
    },
    isOnce: read(ONCE),
    steps: read(STEPS),
    from: read(FROM),
  };
}
