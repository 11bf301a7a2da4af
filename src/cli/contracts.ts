/** `sluice contracts`: deploys a set of contracts, and tokens to try them with. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { createWalletClient, http } from 'viem';
import { connectChain } from '../chain/client.ts';
import { describe } from '../chain/errors.ts';
import { deployContracts } from '../contracts/deploy.ts';
import { deployToken } from '../contracts/tokens.ts';
import type { Clients } from '../contracts/transact.ts';
import { contractsFileText } from '../host/contracts-file.ts';
import { MAX_UINT256 } from '../protocol/amount.ts';
import { LEAST_SETTLE_TIMEOUT } from '../protocol/expiration.ts';
import type { Signer } from '../signer/signer.ts';
import {
  ADDRESS,
  type Found,
  KEYSTORE_PATH,
  PASSWORD_FILE,
  readHexKey,
  signerOf,
  unlock,
} from './key.ts';
import { ETH_RPC_ENDPOINT, NETWORK_ID } from './node-settings.ts';
import { declare, defaulting, optional, type Read, readerOf } from './settings.ts';
import { print, refuse, say } from './terminal.ts';
import { bigNumber, text, wholeNumber } from './values.ts';

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
  const deploy = new Command('deploy').description('deploy the contracts, print their addresses');
  const limits = [MAX_TOKEN_NETWORKS, SETTLE_TIMEOUT_MIN, SETTLE_TIMEOUT_MAX];
  declare(deploy, [...PAYER, ...limits, OUTPUT]).action(async () => {
    process.exit(await runDeploy(readerOf(deploy)));
  });
  const token = new Command('token').description(
    'deploy a token for test networks, of which anybody may make more; print its address',
  );
  declare(token, [...PAYER, NAME, SYMBOL, DECIMALS]).action(async () => {
    process.exit(await runToken(readerOf(token)));
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

/** The exit code. */
async function runDeploy(read: Read): Promise<number> {
  const limits = { ...limitsOf(read), settleTimeoutMin: read(SETTLE_TIMEOUT_MIN) };
  const output = read(OUTPUT);
  if (limits.settleTimeoutMin >= limits.settleTimeoutMax)
    return refuse('--settle-timeout-max must be above --settle-timeout-min');
  const file = await deployed(read, async (clients) => {
    const options = { ...limits, onProgress: (text: string) => say(`${text} ...`) };
    return contractsFileText(await deployContracts(clients, options));
  });
  if (!file.ok) return refuse(file.message);
  if (output !== null) writeFileSync(output, file.value);
  print(file.value.trimEnd());
  return 0;
}

/** The exit code. */
async function runToken(read: Read): Promise<number> {
  const options = { name: read(NAME), symbol: read(SYMBOL), decimals: read(DECIMALS) };
  const token = await deployed(read, (clients) => deployToken(clients, options));
  if (!token.ok) return refuse(token.message);
  print(token.value);
  return 0;
}

async function payer(read: Read): Promise<Found<Signer>> {
  const file = read(PRIVATE_KEY_FILE);
  if (file === null)
    return unlock({
      keystorePath: read(KEYSTORE_PATH),
      address: read(ADDRESS),
      passwordFile: read(PASSWORD_FILE),
    });
  const key = await readHexKey(file);
  return key.ok ? { ok: true, value: signerOf(key.value) } : key;
}

/** Runs `work` with the account and the chain that the options name; answers what it deployed. */
async function deployed<T>(read: Read, work: (clients: Clients) => Promise<T>): Promise<Found<T>> {
  const rpcUrl = read(ETH_RPC_ENDPOINT);
  const networkId = read(NETWORK_ID);
  const signer = await payer(read);
  if (!signer.ok) return signer;
  const connected = await connectChain({ rpcUrl });
  if (!connected.ok) return { ok: false, message: `${connected.detail}: check --eth-rpc-endpoint` };
  const { client, chainId, stop } = connected.value;
  const { account, address } = signer.value;
  const wallet = createWalletClient({ account, chain: client.chain, transport: http(rpcUrl) });
  try {
    if (networkId !== null && networkId !== chainId)
      return { ok: false, message: `the endpoint serves chain ${chainId}, not ${networkId}` };
    return { ok: true, value: await work({ wallet, public: client }) };
  } catch (error) {
    const message = `the deployment failed: ${describe(error)}. Does ${address} have money for gas?`;
    return { ok: false, message };
  } finally {
    stop();
  }
}
