/** The options of `sluice inspect`. */
import { defaulting, flag, optional, type Values } from './settings.ts';
import { text, wholeNumber } from './values.ts';

export const INSPECT_OPTIONS = {
  filter: {
    machine: optional('--machine <name>', 'only actors of this machine, such as channel', text),
    state: optional('--state <state>', 'only actors in this state or one within it', text),
    token: optional('--token <address>', 'only actors of this token', text),
    partner: optional('--partner <address>', 'only actors that have to do with this partner', text),
    payment: optional(
      '--payment <id>',
      'only what belongs to this payment: identifier or hash',
      text,
    ),
  },
  isOnce: flag('--once', 'print what there is now and end'),
  steps: defaulting('--steps <n>', 'past steps of an actor to show', wholeNumber(0, 500), '20'),
  from: optional(
    '--from <step>',
    'follow from the step after this number of the journal',
    wholeNumber(0, 999_999_999_999_999),
  ),
  isJson: flag('--json', 'print records as lines of JSON'),
  tokenFile: optional('--token-file <file>', 'file with a token of the API', text),
};

export type InspectOptions = Values<typeof INSPECT_OPTIONS>;
