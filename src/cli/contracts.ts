/** `sluice contracts`: deploys a set of contracts, and tokens to try them with. */
import { Command } from 'commander';
import { MAX_UINT256 } from '../basics/amount.ts';
import { LEAST_SETTLE_TIMEOUT } from '../protocol/channel/expiration.ts';
import { ADDRESS, KEYSTORE_PATH, keyChoiceOf, PASSWORD_FILE } from './options/key-choice.ts';
import { ETH_RPC_ENDPOINT, NETWORK_ID } from './options/node-settings.ts';
import { declare, defaulting, optional, type Read, readerOf } from './options/settings.ts';
import { bigNumber, text, wholeNumber } from './options/values.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

export const MOST_BLOCKS = 1_000_000n;

export const MAX_TOKEN_NETWORKS = defaulting(
  '--max-token-networks <n>',
  'token networks that the registry takes; 2^256 - 1 for any number, without deposit limits',
  bigNumber(1n, MAX_UINT256),
  '2',
);
const SETTLE_TIMEOUT_MIN = defaulting(
  '--settle-timeout-min <blocks>',
  'shortest settle timeout of a channel',
  bigNumber(1n, MOST_BLOCKS),
  String(LEAST_SETTLE_TIMEOUT),
);
export const SETTLE_TIMEOUT_MAX = defaulting(
  '--settle-timeout-max <blocks>',
  'longest settle timeout of a channel',
  bigNumber(2n, MOST_BLOCKS),
  '100000',
);
const PRIVATE_KEY_FILE = optional(
  '--private-key-file <file>',
  'file with the private key that pays, as 64 hex digits, in place of a keystore',
  text,
);
const OUTPUT = optional('--output <file>', 'write the addresses to this file, too', text);

const NAME = defaulting('--name <name>', 'name of the token', text, 'Test Token');
const SYMBOL = defaulting('--symbol <symbol>', 'its symbol', text, 'TTT');
const DECIMALS = defaulting('--decimals <n>', 'its decimals', wholeNumber(0, 36), '18');
/** The options that say where to deploy and who pays for it. */
const PAYER = [
  ETH_RPC_ENDPOINT,
  NETWORK_ID,
  KEYSTORE_PATH,
  ADDRESS,
  PASSWORD_FILE,
  PRIVATE_KEY_FILE,
];

export function contractsCommand(): Command {
  const deploy = new LateCommand('deploy').description(
    'deploy the contracts, print their addresses',
  );
  const limits = [MAX_TOKEN_NETWORKS, SETTLE_TIMEOUT_MIN, SETTLE_TIMEOUT_MAX];
  act(declare(deploy, [...PAYER, ...limits, OUTPUT]), async () => {
    const read = readerOf(deploy);
    const chosen = { ...limitsOf(read), settleTimeoutMin: read(SETTLE_TIMEOUT_MIN) };
    const choices = { payer: payerOf(read), limits: chosen, output: read(OUTPUT) };
    const { runDeploy } = await import('./run/contracts.ts');
    return runDeploy(choices);
  });
  const token = new LateCommand('token').description(
    'deploy a token for test networks, of which anybody may make more; print its address',
  );
  act(declare(token, [...PAYER, NAME, SYMBOL, DECIMALS]), async () => {
    const read = readerOf(token);
    const terms = { name: read(NAME), symbol: read(SYMBOL), decimals: read(DECIMALS) };
    const payer = payerOf(read);
    const { runToken } = await import('./run/contracts.ts');
    return runToken(payer, terms);
  });
  return new Command('contracts')
    .description('the contracts on the chain')
    .addCommand(deploy)
    .addCommand(token);
}

/** The limits that both `sluice contracts` and `sluice devnet` have as options. */
export function limitsOf(read: Read) {
  return {
    maxTokenNetworks: read(MAX_TOKEN_NETWORKS),
    settleTimeoutMax: read(SETTLE_TIMEOUT_MAX),
  };
}

/** Where to deploy, and who pays for it. */
function payerOf(read: Read) {
  return {
    rpcUrl: read(ETH_RPC_ENDPOINT),
    networkId: read(NETWORK_ID),
    key: keyChoiceOf(read),
    keyFile: read(PRIVATE_KEY_FILE),
  };
}
