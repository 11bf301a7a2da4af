import { pbkdf2Sync } from 'node:crypto';
import { createWalletClient, http } from 'viem';
import { type HDAccount, HDKey, hdKeyToAccount } from 'viem/accounts';
import { type ChainConnection, connectChain } from '../../src/chain/client.ts';
import type { TransactionStorage } from '../../src/chain/queue/jobs.ts';
import type { Clients } from '../../src/contracts/transact.ts';
import type { SignedTransaction } from '../../src/protocol/signed-transaction.ts';

/** BIP-39, which takes a tenth of a second in JavaScript. */
const SEED = pbkdf2Sync(
  'test test test test test test test test test test test junk',
  'mnemonic',
  2048,
  64,
  'sha512',
);
const WALLET = HDKey.fromMasterSeed(SEED);
const derived = new Map<number, HDAccount>();

/** One of anvil's ten funded accounts. */
export function anvilAccount(addressIndex: number): HDAccount {
  const account = derived.get(addressIndex) ?? hdKeyToAccount(WALLET, { addressIndex });
  derived.set(addressIndex, account);
  return account;
}

export async function connected(rpcUrl: string): Promise<ChainConnection> {
  const connection = await connectChain({ rpcUrl });
  if (!connection.ok) throw new Error(connection.detail);
  return connection.value;
}

/** To set a chain up with, outside of what is tested. */
export function clientsFor(rpc: string, chain: ChainConnection, account: HDAccount): Clients {
  const wallet = createWalletClient({
    account,
    chain: chain.client.chain,
    transport: http(rpc),
    pollingInterval: 50,
  });
  return { wallet, public: chain.client };
}

/** Stands for the disk: hand the same one to the queue of the "next process". */
export function memoryStorage(): TransactionStorage {
  const rows = new Map<string, SignedTransaction>();
  const place = ({ job, step }: SignedTransaction) => `${job}/${step}`;
  const ofJob = (job: string) => [...rows.values()].filter((row) => row.job === job);
  return {
    save(row) {
      if (rows.has(place(row))) throw new Error(`row ${place(row)} is there already`);
      rows.set(place(row), { ...row });
    },
    replace(row) {
      if (!rows.has(place(row))) throw new Error(`there is no row ${place(row)}`);
      rows.set(place(row), { ...row });
    },
    forJob: (job) => ofJob(job).map((row) => ({ ...row })),
    all: () => [...rows.values()].map((row) => ({ ...row })),
    drop(job) {
      for (const row of ofJob(job)) rows.delete(place(row));
    },
  };
}

type Test = { client: ChainConnection['client'] };

/** Calls one of anvil's own methods. */
export async function anvilCall(
  { client }: Test,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  const ask: (request: { method: string; params: readonly unknown[] }) => Promise<unknown> =
    client.transport.request;
  return ask({ method, params });
}

export async function mine(chain: Test, blocks: number): Promise<void> {
  await anvilCall(chain, 'hardhat_mine', `0x${blocks.toString(16)}`);
}
