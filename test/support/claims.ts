/** An account that has much to bring on chain at once, on a chain whose blocks hold little and are mined by hand. */

import { parseEther } from 'viem';
import type { Tx } from '../../machines/effects.ts';
import type { TransactionEnded } from '../../machines/events/chain.ts';
import type { Fault } from '../../src/basics/fault.ts';
import type { Hash, Secret } from '../../src/basics/hex.ts';
import { firstFees, readMarket } from '../../src/chain/queue/fees.ts';
import type { Job, TransactionStorage } from '../../src/chain/queue/jobs.ts';
import { createTransactions } from '../../src/chain/queue/transactions.ts';
import { secretRegistryAbi } from '../../src/contracts/generated/SecretRegistry.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import { createJobs } from '../../src/node/chain/jobs/jobs.ts';
import { createSigner } from '../../src/signer/signer.ts';
import { type Chain, done, startChainOnAnvil } from '../contracts/chain.ts';
import * as channel from '../contracts/channel.ts';
import { NO_TRANSFERS, type Place, proofOf, signProof } from '../contracts/sign.ts';
import { anvilAccount, anvilCall, clientsFor, connected, memoryStorage, mine } from './chain.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';
import { until } from './until.ts';

/** What came back to the actor of a job, each time that it did. */
type Ends = Map<string, TransactionEnded[]>;
export type ClaimsChain = Awaited<ReturnType<typeof startClaims>>;
/** A process that must be told of each mined block, and what became of its jobs. */
export type Owner = {
  ends: Ends;
  failures: unknown[];
  storage: TransactionStorage;
  confirm(block: bigint): void;
};

const SETTLE_TIMEOUT = 100n;
const owner = createSigner(Uint8Array.from({ length: 32 }, () => 7));
let drawn = 0;

/** Secrets that nobody has registered. */
export function newSecrets(count: number): Secret[] {
  return Array.from({ length: count }, (): Secret => {
    drawn += 1;
    return `0x${drawn.toString(16).padStart(64, '0')}`;
  });
}

export function registration(secret: Secret, deadlineBlock: bigint): Tx {
  const key = `secret:${secret}`;
  return { type: 'tx.registerSecret', from: 'mediator', key, deadlineBlock, secret };
}

/** A channel that its partner closed with nothing, and the update that its owner owes itself. */
async function closedByPartner(chain: Chain, number: number): Promise<Tx> {
  const partner = createSigner(Uint8Array.from({ length: 32 }, () => 100 + number)).account;
  const place: Place = await channel.open(chain, owner.account, partner, SETTLE_TIMEOUT);
  const nothing = await channel.closeEvidence(place, partner, owner.account);
  const closed = done(await channel.close(chain, place.id, partner, owner.account, nothing));
  const proof = proofOf({ ...NO_TRANSFERS, transferred: 5n }, 3n);
  const signature = await signProof(partner, place, proof);
  return {
    type: 'tx.updateProof',
    from: 'channel',
    key: `update:${number}`,
    deadlineBlock: closed.block + SETTLE_TIMEOUT,
    tokenNetwork: chain.network,
    channelId: place.id,
    partner: partner.address,
    proof: { ...proof, signature },
  };
}

/** Bytecode that runs until its gas is used up. */
const LOOP = '0x635b6000566000526004601cf3';

/**
 * Nothing is mined any more once it is set up, unless `mineBlock` is called; of each block of 30 million gas
 * others take `othersGas`, at any price. The answer's `updates` are due for channels that were just closed.
 */
export async function startClaims(given: { channels: number; othersGas: bigint }) {
  const chain = await startChainOnAnvil();
  const direct = await connected(chain.anvil.rpc);
  const proxy: RpcProxy = await startRpcProxy(chain.anvil.rpc);
  const proxied = await connected(proxy.rpc);
  const others = clientsFor(chain.anvil.rpc, direct, anvilAccount(1));
  const updates: Tx[] = [];
  for (let number = 0; number < given.channels; number++)
    updates.push(await closedByPartner(chain, number));
  const setBalance = (wei: bigint) =>
    anvilCall(direct, 'anvil_setBalance', owner.address, `0x${wei.toString(16)}`);
  await setBalance(parseEther('10000'));
  const deployed = await others.wallet.deployContract({ abi: [], bytecode: LOOP });
  const { contractAddress } = await confirmed(others, deployed, 'the loop');
  await anvilCall(direct, 'evm_setAutomine', false);
  const running: { stop(): Promise<void> }[] = [];

  /** A "process" of the owner: its queue over the storage and the jobs, which outlive it. */
  function begin(
    txs: readonly Tx[],
    more: {
      storage?: TransactionStorage;
      fault?: Fault;
      /** The caller starts the queue itself. */
      isPaused?: boolean;
    } = {},
  ) {
    const { storage = memoryStorage(), fault = () => {} } = more;
    const ends: Ends = new Map();
    const failures: unknown[] = [];
    let confirmedBlock = 0n;
    const queue = createTransactions({
      client: proxied.client,
      account: owner,
      storage,
      confirmations: 1n,
      fault,
      onEnded: (key, outcome) => jobs.ended(key, outcome),
      onFailure: (error) => void failures.push(error),
      onTrouble() {},
      pollIntervalMs: 30,
    });
    const jobs = createJobs({
      isHeld: () => false,
      isSigned: () => false,
      record() {},
      ledger: {
        weigh: () => 'send',
        charge: () => [],
        gasOf: () => 0n,
        aside: () => 0n,
        asideOf: () => 0n,
        begin: () => {},
        end: () => {},
        mostGas: () => undefined,
        isOver: () => false,
        isPromise: () => false,
      },
      own: owner.address,
      chainId: chain.chainId,
      sign: owner.sign,
      fault,
      registry: chain.deployment.tokenNetworkRegistryAddress,
      secretRegistry: chain.deployment.secretRegistryAddress,
      depositLimits: { participantLimit: 1n, networkLimit: 1n },
      allowance: async () => 0n,
      approves: async () => true,
      takingFault: async () => null,
      findProof: () => null,
      locksAt: () => [],
      submit: (job: Job) => queue.submit(job),
      forget: (key: string) => queue.forget(key),
      minedBlockOf: async (hash: Hash) => {
        const receipt = await queue.receiptOf(hash);
        return receipt.ok && receipt.value?.isSuccess ? receipt.value.block : null;
      },
      confirmedBlock: () => confirmedBlock,
      endJob(key, { event }) {
        ends.set(key, [...(ends.get(key) ?? []), event]);
        queue.forget(key);
      },
      onFatal: (error) => void failures.push(error),
    });
    for (const tx of txs) jobs.submit(tx);
    if (!more.isPaused) queue.start();
    running.push(queue);
    return {
      queue,
      ends,
      failures,
      storage,
      submit: (tx: Tx) => jobs.submit(tx),
      /** Another block is confirmed. */
      confirm(block: bigint) {
        confirmedBlock = block;
        jobs.confirmed();
      },
    };
  }

  /** Others outbid the owner, in two transactions because one may not take so much. */
  async function crowd(gas: bigint): Promise<void> {
    const fees = { maxFeePerGas: 10n ** 13n, maxPriorityFeePerGas: 10n ** 12n };
    for (const part of [gas / 2n, gas - gas / 2n])
      await others.wallet.sendTransaction({ to: contractAddress, gas: part, ...fees });
  }

  const looks = () => proxy.calls.filter(({ method }) => method === 'eth_getBlockByNumber').length;

  /** Waits until the queue has sent everything that it sends at this state of the chain. */
  async function said(isOver: () => boolean = () => false): Promise<void> {
    const before = looks();
    await until(
      () => isOver() || looks() >= before + 3,
      'the queue has looked at the chain',
      20_000,
    );
  }
  /** Mines one block, as full as it gets. */
  async function mineBlock(process: Owner): Promise<bigint> {
    if (given.othersGas > 0n) await crowd(given.othersGas);
    await mine(direct, 1);
    const head = await direct.client.getBlockNumber();
    process.confirm(head - 1n);
    return head;
  }

  return {
    said,
    mineBlock,
    chain,
    direct,
    proxy,
    updates,
    owner,
    begin,
    setBalance,
    head: () => direct.client.getBlockNumber(),
    /** Mines a block whose base fee is above what every waiting transaction offers. */
    async raiseBaseFee(process: Owner): Promise<void> {
      const { baseFeePerGas } = await direct.client.getBlock();
      const price = 20n * (baseFeePerGas ?? 1n);
      await anvilCall(direct, 'anvil_setNextBlockBaseFeePerGas', `0x${price.toString(16)}`);
      await mineBlock(process);
      await said(() => process.failures.length > 0);
    },
    /** Others register these in the next block, before the owner. */
    async registerForeign(secrets: readonly Secret[]): Promise<void> {
      await others.wallet.writeContract({
        address: chain.deployment.secretRegistryAddress,
        abi: secretRegistryAbi,
        functionName: 'registerSecretBatch',
        args: [secrets],
        maxFeePerGas: 10n ** 13n,
        maxPriorityFeePerGas: 10n ** 12n,
      });
    },
    /** Wei per gas that a transaction offers at first, unless it is urgent. */
    async firstPrice(): Promise<bigint> {
      return firstFees(await readMarket(direct.client), false).maxFeePerGas;
    },
    /** Transactions of the owner that are mined. */
    sent: () => direct.client.getTransactionCount({ address: owner.address }),
    /** Mined ones and those that wait. */
    pending: () =>
      direct.client.getTransactionCount({ address: owner.address, blockTag: 'pending' }),
    /** The block in which each secret was registered. */
    async registered(): Promise<Map<string, bigint>> {
      const events = await direct.client.getContractEvents({
        address: chain.deployment.secretRegistryAddress,
        abi: secretRegistryAbi,
        eventName: 'SecretRevealed',
        fromBlock: 0n,
      });
      return new Map(events.map(({ args, blockNumber }) => [String(args.secret), blockNumber]));
    },
    /** The blocks in which proofs were updated. */
    async updated(): Promise<bigint[]> {
      const events = await direct.client.getContractEvents({
        address: chain.network,
        abi: tokenNetworkAbi,
        eventName: 'NonClosingBalanceProofUpdated',
        fromBlock: 0n,
      });
      return events.map(({ blockNumber }) => blockNumber);
    },
    async stop(): Promise<void> {
      for (const one of running) await one.stop();
      direct.stop();
      proxied.stop();
      await proxy.stop();
      await chain.stop();
    },
  };
}
