/**
 * A chain with one token network, its channels and the secret registry of protocol 5.1. Transactions wait
 * in a pool, are mined after some blocks, and may revert.
 */
import type { ChainLog } from '../../machines/chain-events.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { Address, Hash, Secret } from '../../src/protocol/hex.ts';
import {
  type ChannelCall,
  type Contract,
  createContract,
  type Ledger,
  NETWORK,
  Revert,
  TOKEN,
} from './contract.ts';

/** What a transaction does once it is mined. */
export type Call =
  | (ChannelCall & { channelId: bigint })
  | { type: 'registerSecret'; secret: Secret };
export type Outcome = { ok: true; minedBlock: bigint; transactionHash: Hash } | { ok: false };
type Waiting = { from: Address; call: Call; dueBlock: bigint; isDoomed: boolean };
type Ticket = Waiting & { outcome: Outcome | null };
export type Chain = ReturnType<typeof createChain>;

/** The channels get the numbers from 1 on, in this order. */
export function createChain(options: {
  pairs: readonly (readonly [Address, Address])[];
  wealth: bigint;
  settleTimeout: bigint;
}) {
  const { pairs, wealth, settleTimeout } = options;
  const wallets = new Map<Address, bigint>(pairs.flat().map((owner) => [owner, wealth]));
  const secrets = new Map<Hash, bigint>();
  const logs: ChainLog[] = [];
  const tickets = new Map<string, Ticket>();
  let head = 1n;
  let held = 0n;

  const hashNow = (): Hash => `0x${head.toString(16).padStart(64, '0')}`;
  function here() {
    const logIndex = logs.filter(({ at }) => at.block === head).length;
    return { at: { block: head, logIndex, transactionHash: hashNow() } };
  }
  const wealthOf = (owner: Address) => wallets.get(owner) ?? 0n;
  const revealBlock = (secrethash: Hash) => secrets.get(secrethash) ?? null;
  const ledger: Ledger = {
    head: () => head,
    here,
    log: (log) => void logs.push(log),
    pay(to, amount) {
      wallets.set(to, wealthOf(to) + amount);
      held -= amount;
    },
    wealthOf,
    revealBlock,
  };
  const network = { token: TOKEN, tokenNetwork: NETWORK };
  logs.push({ type: 'chain.tokenNetworkCreated', ...network, ...here() });
  const contracts = new Map<bigint, Contract>();
  for (const owners of pairs) {
    const channelId = BigInt(contracts.size + 1);
    contracts.set(channelId, createContract(ledger, { channelId, owners, settleTimeout }));
  }

  function contract(channelId: bigint): Contract {
    const found = contracts.get(channelId);
    if (found === undefined) throw new Error(`chain: no channel ${channelId}`);
    return found;
  }

  function registerSecret(secret: Secret) {
    const secrethash = secrethashOf(secret);
    if (secrets.has(secrethash)) return;
    secrets.set(secrethash, head);
    logs.push({ type: 'chain.secretRevealed', secrethash, secret, ...here() });
  }

  function execute({ from, call }: Waiting) {
    if (call.type === 'registerSecret') registerSecret(call.secret);
    else contract(call.channelId).execute(from, call);
  }

  function outcomeOf(ticket: Ticket): Outcome {
    if (ticket.isDoomed) return { ok: false };
    try {
      execute(ticket);
      return { ok: true, minedBlock: head, transactionHash: hashNow() };
    } catch (error) {
      if (error instanceof Revert) return { ok: false };
      throw error;
    }
  }

  return {
    /** The same key twice is one transaction. `delay`: blocks until it is mined, at least 1. */
    submit(key: string, waiting: Omit<Waiting, 'dueBlock'> & { delay: bigint }) {
      if (tickets.has(key)) return;
      const { delay, ...rest } = waiting;
      tickets.set(key, { ...rest, dueBlock: head + delay, outcome: null });
    },
    outcomeOf: (key: string): Outcome | null => tickets.get(key)?.outcome ?? null,
    mine() {
      head += 1n;
      for (const ticket of tickets.values())
        if (ticket.outcome === null && ticket.dueBlock <= head) ticket.outcome = outcomeOf(ticket);
    },
    head: () => head,
    hash: hashNow,
    logsIn: (fromBlock: bigint, toBlock: bigint) =>
      logs.filter(({ at }) => at.block >= fromBlock && at.block <= toBlock),
    wealthOf,
    held: () => held,
    revealBlock,
    contract,
    channelIds: (): readonly bigint[] => [...contracts.keys()],
  };
}
