/** The options of `sluice fetch`. */

import { NODE, TOKEN_FILE } from './paywall.ts';
import { flag, optional, type Read } from './settings.ts';
import { address, text } from './values.ts';

const MOST = optional(
  '--most <amount>',
  'what it may cost, in whole tokens (default: nothing is paid)',
  text,
);
const TOKEN = optional(
  '--token <address>',
  'the token to pay with (default: that of the channels of the node, if it is one)',
  address,
);
const DRY_RUN = flag('--dry-run', 'show the price, pay nothing');
const REQUEST = optional('-X, --request <method>', 'the method (default: GET; POST with -d)', text);
const DATA = optional(
  '-d, --data <text>',
  'what to send; @FILE sends a file, @- the standard input',
  text,
);
export const FETCH_SETTINGS = [MOST, TOKEN, DRY_RUN, REQUEST, DATA, NODE, TOKEN_FILE];

export type FetchChoices = ReturnType<typeof fetchChoicesOf> & { headers: readonly string[] };

export function fetchChoicesOf(read: Read) {
  return {
    most: read(MOST),
    token: read(TOKEN),
    isDryRun: read(DRY_RUN),
    method: read(REQUEST),
    data: read(DATA),
    node: read(NODE),
    tokenFile: read(TOKEN_FILE),
  };
}
