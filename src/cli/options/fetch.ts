/** The options of `sluice fetch`. */
import { PAYWALL_OPTIONS } from './paywall.ts';
import { flag, optional, type Values } from './settings.ts';
import { address, text } from './values.ts';

export const FETCH_OPTIONS = {
  most: optional(
    '--most <amount>',
    'what it may cost, in whole tokens (default: nothing is paid)',
    text,
  ),
  token: optional(
    '--token <address>',
    'the token to pay with (default: that of the channels of the node, if it is one)',
    address,
  ),
  isDryRun: flag('--dry-run', 'show the price, pay nothing'),
  method: optional('-X, --request <method>', 'the method (default: GET; POST with -d)', text),
  data: optional(
    '-d, --data <text>',
    'what to send; @FILE sends a file, @- the standard input',
    text,
  ),
  node: PAYWALL_OPTIONS.node,
  tokenFile: PAYWALL_OPTIONS.tokenFile,
};

export type FetchOptions = Values<typeof FETCH_OPTIONS>;
