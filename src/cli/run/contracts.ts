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
import { type Found, readHexKey, signerOf, unlock } from '../options/key.ts';
import type { KeyChoice } from '../options/key-choice.ts';
import { print, refuse, say } from '../process/terminal.ts';

/** Where to deploy, and who pays for it: the key in `keyFile`, or else that of the keystore. */
type Payer = { rpcUrl: string; networkId: bigint | null; key: KeyChoice; keyFile: string | null };
type Limits = Required<
  Pick<DeployOptions, 'maxTokenNetworks' | 'settleTimeoutMin' | 'settleTimeoutMax'>
>;
type Deploy = { payer: Payer; limits: Limits; output: string | null };

/** The exit code. */
export async function runDeploy({ payer, limits, output }: Deploy): Promise<number> {
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

type Terms = { name: string; symbol: string; decimals: number };

/** The exit code. */
export async function runToken(payer: Payer, terms: Terms): Promise<number> {
  const token = await deployed(payer, (clients) => deployToken(clients, terms));
  if (!token.ok) return refuse(token.message);
  print(token.value);
  return 0;
}

async function signerOfPayer({ key: choice, keyFile }: Payer): Promise<Found<Signer>> {
  if (keyFile === null) return unlock(choice);
  const key = await readHexKey(keyFile);
  return key.ok ? { ok: true, value: signerOf(key.value) } : key;
}

/** Runs `work` with the account and the chain that the options name; answers what it deployed. */
async function deployed<T>(
  payer: Payer,
  work: (clients: Clients) => Promise<T>,
): Promise<Found<T>> {
  const { rpcUrl, networkId } = payer;
  const signer = await signerOfPayer(payer);
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
