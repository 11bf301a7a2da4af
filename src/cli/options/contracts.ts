/** The options of `sluice contracts`. */
import { MAX_UINT256 } from '../../basics/amount.ts';
import { LEAST_SETTLE_TIMEOUT } from '../../protocol/channel/expiration.ts';
import { NODE_OPTIONS } from './node-options.ts';
import { defaulting, optional } from './settings.ts';
import { bigNumber, text, wholeNumber } from './values.ts';

const MOST_BLOCKS = 1_000_000n;

/** Where to deploy, and who pays for it: the key in `keyFile`, or else that of the keystore. */
const PAYER = {
  rpcUrl: NODE_OPTIONS.rpcUrl,
  networkId: NODE_OPTIONS.networkId,
  key: NODE_OPTIONS.key,
  keyFile: optional(
    '--private-key-file <file>',
    'file with the private key that pays, as 64 hex digits, in place of a keystore',
    text,
  ),
};

export const CONTRACT_LIMITS = {
  maxTokenNetworks: defaulting(
    '--max-token-networks <n>',
    'token networks that the registry takes; 2^256 - 1 for any number, without deposit limits',
    bigNumber(1n, MAX_UINT256),
    '2',
  ),
  settleTimeoutMin: defaulting(
    '--settle-timeout-min <blocks>',
    'shortest settle timeout of a channel',
    bigNumber(1n, MOST_BLOCKS),
    String(LEAST_SETTLE_TIMEOUT),
  ),
  settleTimeoutMax: defaulting(
    '--settle-timeout-max <blocks>',
    'longest settle timeout of a channel',
    bigNumber(2n, MOST_BLOCKS),
    '100000',
  ),
};

export const DEPLOY_OPTIONS = {
  payer: PAYER,
  limits: CONTRACT_LIMITS,
  output: optional('--output <file>', 'write the addresses to this file, too', text),
};

export const TOKEN_OPTIONS = {
  payer: PAYER,
  terms: {
    name: defaulting('--name <name>', 'name of the token', text, 'Test Token'),
    symbol: defaulting('--symbol <symbol>', 'its symbol', text, 'TTT'),
    decimals: defaulting('--decimals <n>', 'its decimals', wholeNumber(0, 36), '18'),
  },
};
