/** Sets up a fresh development chain: contracts, tokens, and money for all accounts. */
import { createWalletClient, http } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { MAX_UINT256 } from '../../basics/amount.ts';
import type { Address, Hash } from '../../basics/hex.ts';
import { type ChainConnection, connectChain } from '../../chain/client.ts';
import { type Deployment, type DeployOptions, deployContracts } from '../../contracts/deploy.ts';
import { customTokenAbi } from '../../contracts/generated/CustomToken.ts';
import { deployToken, registerNewToken } from '../../contracts/tokens.ts';
import { type Clients, confirmed } from '../../contracts/transact.ts';
import { type ServiceNeeds, setUpServices } from './set-up-services.ts';

export type DevnetToken = {
  address: Address;
  tokenNetwork: Address;
  symbol: string;
  decimals: number;
};
export type DevnetChain = {
  rpc: string;
  chainId: bigint;
  contracts: Deployment;
  tokens: DevnetToken[];
  unregisteredTokens: Address[];
};
type Request = {
  rpc: string;
  /** The accounts that get money. */
  owners: readonly Address[];
  /** Whole seconds between two blocks after the set-up; null leaves the chain's mining as it is. */
  blockTime: number | null;
  contracts: DeployOptions;
  /** The services and their users; absent: there are none. */
  services?: ServiceNeeds;
  say: (text: string) => void;
};

const MNEMONIC = 'test test test test test test test test test test test junk';
const DECIMALS = 18;
/** Smallest units of every token that each account gets. */
const TOKENS = 10n ** 24n;
/** What each account gets for gas: 1,000 ether, in wei. */
const GAS_MONEY = 10n ** 21n;

/** The deposit limits that a registry without a limit on the number of networks demands. */
const NO_LIMITS = { participantLimit: MAX_UINT256, networkLimit: MAX_UINT256 };

/** Resolves when everything is confirmed. Rejects when the chain refuses anything. */
export async function setUpChain(request: Request): Promise<DevnetChain> {
  return overChain(request.rpc, (connection) => setUp(request, connection));
}

async function overChain<Done>(
  rpc: string,
  work: (connection: ChainConnection) => Promise<Done>,
): Promise<Done> {
  const connected = await connectChain({ rpcUrl: rpc });
  if (!connected.ok) throw new Error(connected.detail);
  try {
    return await work(connected.value);
  } finally {
    connected.value.stop();
  }
}

/** With the account that owns the contracts. */
function clientsOf(rpc: string, { client }: ChainConnection): Clients {
  const account = mnemonicToAccount(MNEMONIC);
  const wallet = createWalletClient({ account, chain: client.chain, transport: http(rpc) });
  return { wallet, public: client };
}

async function setUp(request: Request, connection: ChainConnection): Promise<DevnetChain> {
  const { rpc, owners, blockTime, say } = request;
  const { chainId } = connection;
  const clients = clientsOf(rpc, connection);
  const contracts = await deployContracts(clients, { ...request.contracts, onProgress: say });
  say('Deploying the tokens');
  const symbols = ['TTA', 'TTB', 'TTC'];
  const deployed: Address[] = [];
  for (const symbol of symbols)
    deployed.push(await deployToken(clients, { name: `Test Token ${symbol}`, symbol }));
  const [address, ...unregisteredTokens] = deployed;
  if (address === undefined) throw new Error('no token was deployed');
  const registry = contracts.tokenNetworkRegistryAddress;
  const limits = request.contracts.maxTokenNetworks === MAX_UINT256 ? NO_LIMITS : {};
  const tokenNetwork = await registerNewToken(clients, registry, address, limits);
  say(`Giving money to ${owners.length} accounts`);
  await Promise.all(owners.map((owner) => giveGasMoney(connection, owner)));
  await mintAll(clients, [...deployed, contracts.serviceTokenAddress], owners);
  if (request.services !== undefined) {
    say('Registering the services');
    await setUpServices(rpc, clients, contracts, request.services);
  }
  if (blockTime !== null) await ask(connection, 'evm_setIntervalMining', blockTime);
  const tokens = [{ address, tokenNetwork, symbol: 'TTA', decimals: DECIMALS }];
  return { rpc, chainId, contracts, tokens, unregisteredTokens };
}

type Given = Pick<DevnetChain, 'rpc' | 'contracts' | 'tokens' | 'unregisteredTokens'>;

/** Gives one more account what the others have: money for gas, tokens, and with services a user deposit. */
export async function giveMoney(
  { rpc, contracts, tokens, unregisteredTokens }: Given,
  owner: Address,
  { hasServices }: { hasServices: boolean },
): Promise<void> {
  await overChain(rpc, async (connection) => {
    const clients = clientsOf(rpc, connection);
    const registered = tokens.map(({ address }) => address);
    await giveGasMoney(connection, owner);
    const all = [...registered, ...unregisteredTokens, contracts.serviceTokenAddress];
    await mintAll(clients, all, [owner]);
    if (hasServices) await setUpServices(rpc, clients, contracts, { services: [], users: [owner] });
  });
}

async function giveGasMoney(connection: ChainConnection, owner: Address): Promise<void> {
  await ask(connection, 'anvil_setBalance', owner, `0x${GAS_MONEY.toString(16)}`);
}

/** Calls one of anvil's own methods. */
async function ask(
  { client }: ChainConnection,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  const request: (call: { method: string; params: readonly unknown[] }) => Promise<unknown> =
    client.transport.request;
  return request({ method, params });
}

/** Sends all transactions at once and then waits for them: one after the other would take a block each. */
async function mintAll(
  clients: Clients,
  tokens: readonly Address[],
  owners: readonly Address[],
): Promise<void> {
  const { address } = clients.wallet.account;
  let nonce = await clients.public.getTransactionCount({ address, blockTag: 'pending' });
  const hashes: Hash[] = [];
  for (const token of tokens) {
    for (const owner of owners) {
      const hash = await clients.wallet.writeContract({
        address: token,
        abi: customTokenAbi,
        functionName: 'mintFor',
        args: [TOKENS, owner],
        nonce: nonce++,
      });
      hashes.push(hash);
    }
  }
  for (const hash of hashes) await confirmed(clients, hash, 'giving tokens');
}
