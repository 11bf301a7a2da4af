/**
 * A chain in this process, for tests in which only the contracts matter. It answers as a node answers, and runs the
 * same EVM as anvil (revm, from Hardhat), without a process and its socket: a transaction takes a millisecond.
 */
import edr from '@nomicfoundation/edr';
import * as v from 'valibot';
import {
  type CustomTransport,
  createWalletClient,
  custom,
  type Hex,
  hexToBytes,
  RpcRequestError,
  toHex,
} from 'viem';
import { foundry } from 'viem/chains';
import { type ChainClient, clientOver } from '../../src/chain/client.ts';
import type { Clients } from '../../src/contracts/transact.ts';
import { anvilAccount } from './chain.ts';
import { revertReason } from './revert-reason.ts';

const ACCOUNTS = 10;
const BALANCE = 10_000n * 10n ** 18n;
const BLOCK_GAS = 30_000_000n;
/** The most that one transaction may have (EIP-7825), roughly. */
const TRANSACTION_GAS = 16_000_000n;
const BASE_FEE = 10n ** 9n;
/** What nodes answer to a call that reverts. */
const REVERTED = 3;

const Failure = v.object({ code: v.number(), message: v.string(), data: v.unknown() });
const Answer = v.union([v.object({ result: v.unknown() }), v.object({ error: Failure })]);
const Reverted = v.object({
  reason: v.object({ Revert: v.custom<Hex>((data) => typeof data === 'string') }),
});

let context: Promise<edr.EdrContext> | undefined;

/** One for the whole process. */
function sharedContext(): Promise<edr.EdrContext> {
  context ??= (async () => {
    const made = new edr.EdrContext();
    await made.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory());
    return made;
  })();
  return context;
}

function configOf(chainId: bigint): edr.ProviderConfig {
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => anvilAccount(index));
  const hardfork = edr.l1HardforkLatest();
  return {
    chainId,
    networkId: chainId,
    hardfork: edr.l1HardforkToString(hardfork),
    genesisState: [
      ...edr.l1GenesisState(hardfork),
      ...accounts.map(({ address }) => ({ address: hexToBytes(address), balance: BALANCE })),
    ],
    ownedAccounts: accounts.map((account) => toHex(account.getHdKey().privateKey ?? '')),
    network: { genesisBlockGasLimit: BLOCK_GAS },
    mining: {
      autoMine: true,
      blockGasLimit: BLOCK_GAS,
      memPool: { order: edr.MineOrdering.Fifo },
    },
    initialBaseFeePerGas: BASE_FEE,
    initialParentBeaconBlockRoot: new Uint8Array(32),
    minGasPrice: 0n,
    defaultTransactionGasLimit: TRANSACTION_GAS,
    coinbase: new Uint8Array(20),
    allowBlocksWithSameTimestamp: false,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    // A transaction that is reverted is mined like any other.
    bailOnTransactionFailure: false,
    observability: {},
    precompileOverrides: [],
  };
}

/** The error as nodes give it: a revert with its output. */
function asNode(failure: v.InferOutput<typeof Failure>): v.InferOutput<typeof Failure> {
  const reverted = v.safeParse(Reverted, failure.data);
  if (!reverted.success) return failure;
  const output = reverted.output.reason.Revert;
  const reason = revertReason(output);
  const message = reason === null ? 'execution reverted' : `execution reverted: ${reason}`;
  return { code: REVERTED, message, data: output };
}

/** How viem reaches a new chain with anvil's accounts; each transaction is mined at once, in a block of its own. */
export async function startEvm(chainId: number): Promise<CustomTransport> {
  const provider = await (await sharedContext()).createProvider(
    edr.L1_CHAIN_TYPE,
    configOf(BigInt(chainId)),
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new edr.ContractDecoder(),
  );
  async function request(call: { method: string; params?: unknown }): Promise<unknown> {
    const body = { jsonrpc: '2.0', id: 1, params: [], ...call };
    const { data } = await provider.handleRequest(JSON.stringify(body));
    const answer = v.parse(Answer, typeof data === 'string' ? JSON.parse(data) : data);
    if ('result' in answer) return answer.result;
    const { method } = call;
    throw new RpcRequestError({ body: { method }, error: asNode(answer.error), url: 'the EVM' });
  }
  return custom({ request }, { retryCount: 0 });
}

/** The same as what nodes hold of a chain, with a wallet of its first account to set it up with. */
export async function connectedEvm(): Promise<{ client: ChainClient; clients: Clients }> {
  const transport = await startEvm(foundry.id);
  const client = clientOver(foundry.id, { plain: transport, bulk: transport });
  const { chain } = client;
  const wallet = createWalletClient({ account: anvilAccount(0), chain, transport });
  return { client, clients: { wallet, public: client } };
}
