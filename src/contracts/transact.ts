/** Sending and awaiting the few transactions that set a chain up. Nodes use src/chain instead. */
import type {
  Account,
  Chain,
  Hash,
  PublicClient,
  TransactionReceipt,
  Transport,
  WalletClient,
} from 'viem';

export type Clients = {
  /** Signs and pays. */
  wallet: WalletClient<Transport, Chain, Account>;
  public: PublicClient;
};

const POLLING_INTERVAL = 100;

/** The receipt of a transaction that succeeded; rejects when it was reverted. */
export async function confirmed(
  clients: Clients,
  hash: Hash,
  what: string,
): Promise<TransactionReceipt> {
  const receipt = await clients.public.waitForTransactionReceipt({
    hash,
    pollingInterval: POLLING_INTERVAL,
  });
  if (receipt.status !== 'success') throw new Error(`${what}: transaction ${hash} was reverted`);
  return receipt;
}
