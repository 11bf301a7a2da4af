/** `sluice contracts deploy`: a set of contracts of one's own. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { createWalletClient, http } from 'viem';
import { type ChainConnection, connectChain } from '../chain/client.ts';
import { describe } from '../chain/errors.ts';
import { type DeployOptions, deployContracts } from '../contracts/deploy.ts';
import { contractsFileText } from '../devnet/contracts-file.ts';
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
import { bigNumber, text } from './values.ts';

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

export function contractsCommand(): Command {
  const deploy = new Command('deploy').description('deploy the contracts, print their addresses');
  const settings = [
    ...[ETH_RPC_ENDPOINT, NETWORK_ID, KEYSTORE_PATH, ADDRESS, PASSWORD_FILE],
    ...[PRIVATE_KEY_FILE, MAX_TOKEN_NETWORKS, SETTLE_TIMEOUT_MIN, SETTLE_TIMEOUT_MAX, OUTPUT],
  ];
  declare(deploy, settings).action(async () => {
    process.exit(await runDeploy(readerOf(deploy)));
  });
  return new Command('contracts').description('the contracts on the chain').addCommand(deploy);
}

/** What the options say that a devnet has, too. */
export function limitsOf(read: Read) {
  return {
    maxTokenNetworks: read(MAX_TOKEN_NETWORKS),
    settleTimeoutMax: read(SETTLE_TIMEOUT_MAX),
  };
}

/** The exit code. */
async function runDeploy(read: Read): Promise<number> {
  const rpcUrl = read(ETH_RPC_ENDPOINT);
  const networkId = read(NETWORK_ID);
  const limits = { ...limitsOf(read), settleTimeoutMin: read(SETTLE_TIMEOUT_MIN) };
  const output = read(OUTPUT);
  if (limits.settleTimeoutMin >= limits.settleTimeoutMax)
    return refuse('--settle-timeout-max must be above --settle-timeout-min');
  const signer = await payer(read);
  if (!signer.ok) return refuse(signer.message);
  const connected = await connectChain({ rpcUrl });
  if (!connected.ok) return refuse(`${connected.detail}: check --eth-rpc-endpoint`);
  const connection = connected.value;
  if (networkId !== null && networkId !== connection.chainId)
    return refuse(`the endpoint serves chain ${connection.chainId}, not ${networkId}`);
  const file = await deploy({ rpcUrl, connection, signer: signer.value, limits });
  if (!file.ok) return refuse(file.message);
  if (output !== null) writeFileSync(output, file.value);
  print(file.value.trimEnd());
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

type Deploy = {
  rpcUrl: string;
  connection: ChainConnection;
  signer: Signer;
  limits: DeployOptions;
};

async function deploy({ rpcUrl, connection, signer, limits }: Deploy): Promise<Found<string>> {
  const { client } = connection;
  const wallet = createWalletClient({
    account: signer.account,
    chain: client.chain,
    transport: http(rpcUrl),
  });
  try {
    const deployment = await deployContracts(
      { wallet, public: client },
      { ...limits, onProgress: (text) => say(`${text} ...`) },
    );
    return { ok: true, value: contractsFileText(deployment) };
  } catch (error) {
    return {
      ok: false,
      message: `the deployment failed: ${describe(error)}. Does ${signer.address} have money for gas?`,
    };
  } finally {
    connection.stop();
  }
}
