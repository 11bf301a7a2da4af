/** Deploys a set of contracts, and tokens to try them with. */
import { writeFileSync } from 'node:fs';
import { createWalletClient, http } from 'viem';
import { connectChain } from '../../chain/client.ts';
import { describe } from '../../chain/describe.ts';
import { type DeployOptions, deployContracts } from '../../contracts/deploy.ts';
import { deployToken } from '../../contracts/tokens.ts';
import type { Clients } from '../../contracts/transact.ts';
import { contractsFileText } from '../../host/contracts-file.ts';
import type { Signer } from '../../signer/signer.ts';
import type { DEPLOY_OPTIONS, TOKEN_OPTIONS } from '../options/contracts.ts';
import { readHexKey, signerOf, unlock } from '../options/key.ts';
import type { HandedOn, Nothing, Values } from '../options/settings.ts';
import { type Found, found, wrong } from '../process/found.ts';
import { print, refuse, say } from '../process/terminal.ts';

type Payer = Values<typeof DEPLOY_OPTIONS>['payer'];

/** The exit code. */
export async function runDeploy({
  payer,
  limits,
  output,
  ...left
}: Values<typeof DEPLOY_OPTIONS>): Promise<number> {
  left satisfies Nothing;
  limits satisfies HandedOn<typeof limits, DeployOptions>;
  if (limits.settleTimeoutMin >= limits.settleTimeoutMax)
    return refuse('--settle-timeout-max must be above --settle-timeout-min');
  const file = await deployed(payer, async (clients) => {
    const options = { ...limits, onProgress: (text: string) => say(`${text} ...`) };
    return contractsFileText(await deployContracts(clients, options));
  });
  if (!file.ok) return refuse(file.message);
  if (output !== null) writeFileSync(output, file.value);
  print(file.value.trimEnd());
  return 0;
}

/** The exit code. */
export async function runToken({
  payer,
  terms,
  ...left
}: Values<typeof TOKEN_OPTIONS>): Promise<number> {
  left satisfies Nothing;
  const token = await deployed(payer, (clients) => deployToken(clients, terms));
  if (!token.ok) return refuse(token.message);
  print(token.value);
  return 0;
}

async function signerOfPayer({
  key: choice,
  keyFile,
}: Pick<Payer, 'key' | 'keyFile'>): Promise<Found<Signer>> {
  if (keyFile === null) return unlock(choice);
  const key = await readHexKey(keyFile);
  return key.ok ? found(signerOf(key.value)) : key;
}

/** Runs `work` with the account and the chain that the options name; answers what it deployed. */
async function deployed<T>(
  { rpcUrl, networkId, key, keyFile, ...left }: Payer,
  work: (clients: Clients) => Promise<T>,
): Promise<Found<T>> {
  left satisfies Nothing;
  const signer = await signerOfPayer({ key, keyFile });
  if (!signer.ok) return signer;
  const connected = await connectChain({ rpcUrl });
  if (!connected.ok) return wrong(`${connected.detail}: check --eth-rpc-endpoint`);
  const { client, chainId, stop } = connected.value;
  const { account, address } = signer.value;
  const wallet = createWalletClient({ account, chain: client.chain, transport: http(rpcUrl) });
  try {
    if (networkId !== null && networkId !== chainId)
      return wrong(`the endpoint serves chain ${chainId}, not ${networkId}`);
    return { ok: true, value: await work({ wallet, public: client }) };
  } catch (error) {
    const message = `the deployment failed: ${describe(error)}. Does ${address} have money for gas?`;
    return { ok: false, message };
  } finally {
    stop();
  }
}
