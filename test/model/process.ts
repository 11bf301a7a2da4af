/**
 * One run of a node's process, wired as `src/node/node.ts` wires it, but with a chain, a disk, a wire and
 * a clock that the model holds in its hands. When it dies, only the disk is left.
 */
import type { Reply, Tx } from '../../machines/effects.ts';
import { createActors } from '../../src/node/actors.ts';
import { expectBooks } from '../../src/node/books.ts';
import { indexActors, indexBirth, indexEnd } from '../../src/node/boot.ts';
import { failure } from '../../src/node/commands.ts';
import { createAlarmClock, createDirectory } from '../../src/node/directory.ts';
import { createInbox } from '../../src/node/inbox.ts';
import { createKeepers } from '../../src/node/keepers.ts';
import { createLockGate } from '../../src/node/lock-gate.ts';
import { cleanBooksRule } from '../../src/node/lock-rules.ts';
import { createLogRouter } from '../../src/node/logs.ts';
import type { Afterwards } from '../../src/node/open-batch.ts';
import { protectLocks } from '../../src/node/orphans.ts';
import { createOutbox } from '../../src/node/outbox.ts';
import { sentIn } from '../../src/node/parties.ts';
import { createPendingLocks } from '../../src/node/pending-locks.ts';
import { createPresence } from '../../src/node/presence.ts';
import { createPublisher, isSentOnce } from '../../src/node/publish.ts';
import { noteRegistered } from '../../src/node/secrethashes.ts';
import { proofSources, withSettledProofs } from '../../src/node/settled-proofs.ts';
import { createEngine, type Delivery } from '../../src/node/turn.ts';
import { isSettled } from '../../src/node/views.ts';
import { leastRevealTimeout } from '../../src/protocol/expiration.ts';
import type { FeeTerms } from '../../src/protocol/fee-terms.ts';
import type { Address } from '../../src/protocol/hex.ts';
import { decodeLock, NO_LOCKS_ROOT } from '../../src/protocol/lock.ts';
import { decode } from '../../src/store/codec.ts';
import type { Call, Chain } from './chain.ts';
import { CHAIN_ID } from './contract.ts';
import { open, recover, sealedBy, signerOf } from './crypto.ts';
import { type Disk, JOURNAL_LIMIT } from './disk.ts';

export type Process = ReturnType<typeof startProcess>;
export type ProcessOptions = {
  own: Address;
  confirmations: bigint;
  revealTimeout: bigint;
  fees: FeeTerms;
  chain: Chain;
  disk: Disk;
  send(to: Address, payload: Uint8Array): void;
  drawId(): bigint;
  now(): number;
  /** Blocks until a transaction is mined, and whether it fails. */
  luckOf(tx: Tx): { delay: bigint; isDoomed: boolean };
  /** Whether the endpoint knows of blocks that the process has not seen. */
  isUpToDate(nowBlock: bigint): boolean;
  fault(point: string): void;
  onReply(reply: Reply): void;
  onFatal(error: unknown): void;
};

const SILENT = { info() {}, warn() {}, error() {} };
const NO_BALANCES = { transferredAmount: 0n, lockedAmount: 0n, locksroot: NO_LOCKS_ROOT };

export function startProcess(options: ProcessOptions) {
  const { own, confirmations, revealTimeout, chain, disk, drawId, now, fault } = options;
  const settings = {
    ...{ confirmations, defaultRevealTimeout: revealTimeout },
    minRevealTimeout: leastRevealTimeout(confirmations),
  };
  let nowBlock = disk.cursor();
  const sign = signerOf(own);
  const running = new Map<string, Tx>();
  const unknown = new Set<string>();
  const networks = new Map<Address, Address>();
  const keepers = createKeepers();
  const channels = disk.loadActors().flatMap(({ id }) => (id.startsWith('channel:') ? [id] : []));
  const router = createLogRouter({ own, networks, channels, keepersOf: keepers.of });
  const alarms = createAlarmClock();
  const directory = createDirectory({ isSettled: (id) => isSettled(actors, id) });
  const pending = createPendingLocks();
  const payments = { noteBorn() {}, noteEnded() {}, pay: async () => failure('no_route') };

  const outbox = createOutbox({ rows: disk.loadOutbox(), drawId, now });
  const publisher = createPublisher({
    ...{ sign, outbox, drawId, fault },
    send: (to, lines) => options.send(to, sealedBy(own, lines)),
    knows: () => true,
    introduce() {},
  });
  const actors = createActors({
    node: { chainId: CHAIN_ID, own, ...settings },
    rows: disk.loadActors(),
    onEffect: (from, effect) => engine.collect(from, effect),
  });
  const engine = createEngine({
    actors,
    outbox,
    commit: (batch) => disk.commit(batch),
    store: disk,
    resolve: directory.resolve,
    perform,
    judged: createLockGate([
      () => (isFresh() ? null : 'chain_unavailable'),
      cleanBooksRule({ pending }),
    ]),
    nowBlock: () => nowBlock,
    now,
    journalLimit: JOURNAL_LIMIT,
    onChanged(id, wakeBlock) {
      alarms.set(id, wakeBlock);
      const state = actors.stateOf(id);
      if (state !== null) pending.note(id, state);
    },
    onBorn: (spawn) => indexBirth(spawn, index),
    onEnded: (id) => indexEnd(id, index),
    onFatal: options.onFatal,
    audit: () => expectBooks(actors),
    fault,
  });
  const isFresh = () => options.isUpToDate(nowBlock);
  const deliver = (...deliveries: Delivery[]) => engine.turn(deliveries);
  const presence = createPresence({
    ask: async () => 'unknown',
    now,
    onBack(partner) {
      outbox.hurry(partner);
      const channels = directory.withPartner(partner);
      deliver(...channels.map((to) => ({ to, event: { type: 'told.partnerBack' } })));
    },
  });
  const index = { directory, alarms, networks, payments, presence, keepers, pending };
  const { wrongLocks } = indexActors(actors, index, settings);
  const inbox = createInbox({
    own,
    chainId: CHAIN_ID,
    feesOf: () => options.fees,
    sentIn: (channel, secrethash) => sentIn(actors, channel, secrethash),
    keepersOf: keepers.of,
    open,
    recover,
    isReady: () => actors.stateOf('node')?.value === 'ready' && isFresh(),
    turn: (deliveries) => engine.turn(deliveries),
    acknowledge: (messageId, sender) => engine.acknowledge(messageId, sender),
    onHeard: (sender) => presence.heard(sender),
    onRefused: (reason) => options.onFatal(new Error(`refused: ${reason}`)),
    fault,
  });

  function balancesOf(channel: string, side: 'own' | 'partner', hash: `0x${string}` | null) {
    return hash === null ? NO_BALANCES : disk.findProof(channel, side, hash);
  }

  /** Null when what the contract wants to see was never written here. */
  function callFor(tx: Tx): Call | null {
    switch (tx.type) {
      case 'tx.deposit':
        return { type: 'deposit', channelId: tx.channelId, totalDeposit: tx.totalDeposit };
      case 'tx.withdraw': {
        const { channelId, totalWithdraw, expiration, partnerSignature } = tx;
        return { type: 'withdraw', channelId, totalWithdraw, expiration, partnerSignature };
      }
      case 'tx.close':
        return { type: 'close', channelId: tx.channelId, proof: tx.proof };
      case 'tx.updateProof':
        return { type: 'update', channelId: tx.channelId, proof: tx.proof };
      case 'tx.registerSecret':
        return { type: 'registerSecret', secret: tx.secret };
      case 'tx.settle': {
        const { channel, channelId } = tx;
        const ownSide = balancesOf(channel, 'own', tx.ownHash);
        const partner = balancesOf(channel, 'partner', tx.partnerHash);
        return ownSide && partner && { type: 'settle', channelId, own: ownSide, partner };
      }
      case 'tx.unlock': {
        const { channel, channelId } = tx;
        const proof = disk.findProof(channel, tx.side, tx.balanceHash);
        const [sender, receiver] = tx.side === 'own' ? [own, tx.partner] : [tx.partner, own];
        const locks = proof && disk.locksAt(channel, tx.side, proof.nonce).map(decodeLock);
        return locks && { type: 'unlock', channelId, sender, receiver, locks };
      }
      default:
        throw new Error(`model: no ${tx.type} here`);
    }
  }

  function submit(tx: Tx) {
    running.set(tx.key, tx);
    fault('job.before');
    const call = callFor(tx);
    if (call === null) unknown.add(tx.key);
    else chain.submit(`${own} ${tx.key}`, { from: own, call, ...options.luckOf(tx) });
    fault('job.after');
  }

  function end(tx: Tx, outcome: Record<string, unknown>) {
    running.delete(tx.key);
    engine.endJob(tx.key, { to: tx.from, event: { type: 'chain.tx', key: tx.key, ...outcome } });
  }

  function followJobs() {
    for (const tx of [...running.values()]) {
      const outcome = chain.outcomeOf(`${own} ${tx.key}`);
      const failed = { ok: false, code: 'transaction_failed', detail: 'the model said no' };
      if (unknown.has(tx.key) || outcome?.ok === false) end(tx, failed);
      else if (outcome?.ok && outcome.minedBlock <= nowBlock) end(tx, outcome);
    }
  }

  /** Publish, submit, answer: only what a commit has made true. */
  function perform(afterwards: readonly Afterwards[]) {
    for (const item of afterwards) {
      if (item.type === 'publish') publisher.post(item.key);
      else if (item.type === 'resend') publisher.repeat(outbox.ofQueue(item.queue));
      else if (isSentOnce(item)) publisher.once(item);
    }
    publisher.flush();
    for (const item of afterwards) {
      if ('key' in item && 'from' in item) submit(item);
      if (item.type !== 'reply.ok' && item.type !== 'reply.error') continue;
      fault('reply.before');
      options.onReply(item);
    }
  }

  return {
    actors,
    outbox,
    nowBlock: () => nowBlock,
    deliver,
    flush: engine.flush,
    followJobs,
    take: inbox.take,
    /** What is not on disk yet must not go out. */
    repeatDue() {
      engine.flush();
      publisher.repeat(outbox.due());
      publisher.flush();
    },
    /** One commit for all logs of these blocks and what follows from them. */
    see(toBlock: bigint) {
      if (toBlock <= nowBlock) return;
      const logs = chain.logsIn(nowBlock + 1n, toBlock);
      const deliveries = logs.flatMap(router.deliveriesOf);
      nowBlock = toBlock;
      const sources = proofSources({ actors, store: disk, areSecretsKnown: () => true }, logs);
      engine.turn(withSettledProofs(deliveries, sources), (batch) => {
        batch.cursor = { block: toBlock, hash: chain.hash() };
        for (const log of logs) noteRegistered(batch, log);
      });
      deliver(...alarms.ring(nowBlock).map((to) => ({ to, event: { type: 'chain.block' } })));
      engine.flush();
      followJobs();
    },
    resume() {
      deliver({ to: 'node', event: { type: 'told.fellBehind' } });
      protectLocks(wrongLocks, { engine, store: disk, log: SILENT });
      engine.flush();
      for (const { body } of disk.loadJobs()) submit(txIn(decode(body)));
    },
    catchUp: () => deliver({ to: 'node', event: { type: 'told.caughtUp' } }),
    forgetPresence: presence.forgetAll,
    isDone: () => running.size === 0,
  };
}

function txIn(value: unknown): Tx {
  if (!isTx(value)) throw new Error('model: a row holds no transaction');
  return value;
}

function isTx(value: unknown): value is Tx {
  return typeof value === 'object' && value !== null && 'type' in value && 'key' in value;
}
