/** One running node: its parts put together. What happens in it is told in turn.ts; here it is wired. */

import type { RecordPayment } from '../../machines/effects.ts';
import { tokenActorId } from '../../machines/node.ts';
import type { LogBatch } from '../chain/batches.ts';
import { createTransactions } from '../chain/transactions.ts';
import { createWatcher, type HeadStatus } from '../chain/watcher.ts';
import { type Address, isHexOf } from '../protocol/hex.ts';
import { createActors } from './actors.ts';
import { type Index, indexActors, indexBirth, indexEnd } from './boot.ts';
import { createAlarmClock, createDirectory } from './directory.ts';
import { createInbox } from './inbox.ts';
import { createJobs } from './jobs.ts';
import { createLogRouter } from './logs.ts';
import { createOnline } from './online.ts';
import { createOutbox } from './outbox.ts';
import { drawUint64, type NodeParts, type NodeSettings } from './parts.ts';
import { createPayments } from './payments.ts';
import { createPresence } from './presence.ts';
import { createPublisher } from './publish.ts';
import { createQuestions } from './questions.ts';
import { type Afterwards, createEngine, type Delivery } from './turn.ts';
import { channelState, payable, viewOf } from './views.ts';

export type Node = ReturnType<typeof assemble>;
type FatalKind = Parameters<NodeParts['onFatal']>[2];

/** Builds a node from its database; nothing runs and nothing leaves before `start`. */
export function assemble(settings: NodeSettings, parts: NodeParts) {
  const { store, signer, transport, client, reads, clock, chance, fault, log } = parts;
  const own = signer.address;
  const { chainId, confirmations, contracts, defaultRevealTimeout, minRevealTimeout } = settings;
  const actorSettings = { confirmations, defaultRevealTimeout, minRevealTimeout };
  const cursor = store.cursor();
  let nowBlock = cursor?.block ?? settings.deployBlock - 1n;
  let head: HeadStatus | null = null;

  const fatal = (reason: string, kind: FatalKind) => (error: unknown) => {
    log.error({ reason, error: String(error) }, 'the node cannot go on');
    questions.fail(new Error(reason));
    parts.onFatal(reason, error, kind);
  };
  const directory = createDirectory();
  const alarms = createAlarmClock();
  const networks = new Map<Address, Address>();
  const questions = createQuestions();
  const drawId = () => drawUint64(chance);
  const now = () => clock.now();
  const sign = (digest: Uint8Array) => signer.sign(digest);

  const outbox = createOutbox({ rows: store.loadOutbox(), drawId, now });
  const send = (to: Address, payload: Uint8Array) => {
    if (online.maySpeak()) transport.publish(to, payload);
  };
  const publisher = createPublisher({ sign, send, outbox, drawId, fault });
  const actors = createActors({
    node: { chainId, own, ...actorSettings },
    rows: store.loadActors(),
    onEffect: (from, effect) => engine.collect(from, effect),
  });
  const engine = createEngine({
    actors,
    outbox,
    commit: (batch) => store.commit(batch),
    hasEnded: (id) => hasEnded(store, id),
    perform,
    nowBlock: () => nowBlock,
    now,
    onChanged: (id, wakeBlock) => alarms.set(id, wakeBlock),
    onBorn: (spawn) => indexBirth(spawn, index),
    onEnded: (id) => indexEnd(id, index),
    onFatal: fatal('a turn or its commit failed', 'internal'),
    fault,
  });
  const deliver = (...deliveries: Delivery[]) => engine.turn(deliveries);
  /** A command that nobody can answer any more must not wait for ever. */
  const command = (delivery: Delivery) => {
    if (engine.isBroken()) throw new Error('the node is broken');
    deliver(delivery);
  };
  const presence = createPresence({
    ask: (address) => transport.presence(address),
    now,
    onBack: meet,
  });
  /** A partner is there again: compare what both hold, and repeat at once what it may have missed. */
  function meet(partner: Address) {
    outbox.hurry(partner);
    const channels = directory.withPartner(partner);
    deliver(...channels.map((to) => ({ to, event: { type: 'told.partnerBack' } })));
  }
  const context = {
    settings,
    own,
    reads,
    questions,
    deliver: command,
    chance,
    secretRegistry: contracts.secretRegistryAddress,
    tokenNetworkOf: (token: Address) =>
      [...networks].find(([, candidate]) => candidate === token)?.[0] ?? null,
    channelOf: (token: Address, partner: Address) => directory.find(token, partner),
    view,
    isSecretUsed: (hash: `0x${string}`) =>
      actors.has(`initiator:${hash}`) ||
      actors.has(`target:${hash}`) ||
      store.isSecrethashUsed(hash),
    payable: (channel: string) => payable(actors, channel),
    channelsOf: directory.ofToken,
    isThere: async (partner: Address) => {
      const known = presence.stateOf(partner);
      return known === 'reachable' ? known : presence.check(partner);
    },
    record: (payment: RecordPayment) =>
      engine.turn([], (batch) => void batch.payments.push(payment)),
  };
  const payments = createPayments(context);
  const index: Index = { directory, alarms, networks, payments, presence };
  indexActors(actors, index);

  const transactions = createTransactions({
    client,
    account: signer,
    storage: store.transactions,
    confirmations,
    onEnded: (key, outcome) => jobs.ended(key, outcome),
    onFailure: fatal('the transaction queue failed', 'internal'),
    fault,
    pollIntervalMs: settings.pollIntervalMs,
  });
  const jobs = createJobs({
    own,
    chainId,
    registry: contracts.tokenNetworkRegistryAddress,
    secretRegistry: contracts.secretRegistryAddress,
    depositLimits: settings.depositLimits,
    sign,
    allowance: reads.allowance,
    findProof: store.findProof,
    locksAt: store.locksAt,
    submit: (job) => transactions.submit(job),
    isMined: async (hash) => {
      const receipt = await transactions.receiptOf(hash);
      return receipt.ok && receipt.value !== null;
    },
    confirmedBlock: () => nowBlock,
    endJob: (key, delivery) => engine.endJob(key, delivery),
    onFatal: fatal('a transaction could not be followed', 'internal'),
    fault,
  });
  const inbox = createInbox({
    own,
    chainId,
    recover: parts.recover,
    isReady: () => actors.stateOf('node')?.value === 'ready',
    turn: (deliveries) => engine.turn(deliveries),
    acknowledge: (messageId, sender) => engine.acknowledge(messageId, sender),
    onHeard: (sender) => presence.heard(sender),
    onRefused: (reason) => log.warn({ reason }, 'a partner message was refused'),
    fault,
  });
  const online = createOnline({
    ...{ transport, inbox, outbox, publisher, presence, clock },
    onRival: () => fatal('the same key is in use by another process', 'foreign')(null),
  });
  const router = createLogRouter(own, networks);
  const watcher = createWatcher({
    client,
    registry: contracts.tokenNetworkRegistryAddress,
    secretRegistry: contracts.secretRegistryAddress,
    confirmations,
    start:
      cursor !== null && isHexOf(cursor.hash, 32)
        ? { block: cursor.block, hash: cursor.hash }
        : { deployBlock: settings.deployBlock },
    tokenNetworks: [...networks.keys()],
    onBatch,
    onHead,
    onDeepReorg: (reorg) =>
      fatal(
        'the chain replaced blocks that counted as confirmed',
        'foreign',
      )(`block ${reorg.block}`),
    onFailure: fatal('the blocks of the chain could not be applied', 'internal'),
    pollIntervalMs: settings.pollIntervalMs,
  });

  /** One commit for all logs of these blocks and what follows from them. */
  function onBatch({ toBlock, toHash, logs }: LogBatch) {
    nowBlock = toBlock;
    const deliveries = logs.flatMap(router.deliveriesOf);
    engine.turn(deliveries, (batch) => {
      batch.cursor = { block: toBlock, hash: toHash };
      for (const chainLog of logs) {
        const channel = router.channelOf(chainLog, directory.has);
        if (channel !== null) batch.logs.push({ channel, log: chainLog });
      }
    });
    deliver(...alarms.ring(nowBlock).map((to) => ({ to, event: { type: 'chain.block' } })));
    engine.flush();
    jobs.confirmed();
  }

  function onHead(status: HeadStatus) {
    const before = head?.status;
    head = status;
    if (before === status.status) return;
    log.info({ ...status }, `chain ${status.status}`);
    const type = status.status === 'ready' ? 'told.caughtUp' : 'told.fellBehind';
    deliver({ to: 'node', event: { type } });
    if (status.status !== 'ready') return;
    online.begin();
    for (const partner of presence.reachable()) meet(partner);
  }

  /** Publish, submit, answer: only what a commit has made true. */
  function perform(afterwards: readonly Afterwards[]) {
    for (const item of afterwards) {
      if (item.type === 'publish') publisher.post(item.key);
      else if (item.type === 'resend') publisher.repeat(outbox.ofQueue(item.queue));
      else if (item.type === 'send.processed' || item.type === 'send.sync') publisher.once(item);
    }
    publisher.flush();
    for (const item of afterwards) {
      if (item.type === 'forgetJob') transactions.forget(item.key);
      else if (item.type === 'dropProofs') store.dropChannel(item.channel);
      else if ('key' in item && 'from' in item) jobs.submit(item);
    }
    for (const item of afterwards) {
      if (item.type !== 'reply.ok' && item.type !== 'reply.error') continue;
      fault('reply.before');
      questions.answer(item);
    }
  }

  function view(channel: string) {
    const state = channelState(actors, channel);
    return state === null ? null : viewOf(state, presence.stateOf(state.channel.partner));
  }

  return {
    ...{ settings, own, actors, engine, store, questions, context, payments, networks, directory },
    ...{ view, outbox },
    headStatus: () => head,
    /** Nobody has to be woken and no transaction is on its way: nothing is lost by ending now. */
    isQuiet: () => head?.status === 'ready' && alarms.size() === 0 && jobs.running() === 0,
    start() {
      // A process that died while it was ready begins behind the chain.
      deliver({ to: 'node', event: { type: 'told.fellBehind' } });
      const told = { type: 'told.settings', settings: actorSettings };
      const networkActors = [...networks.values()].map(tokenActorId);
      deliver(...['node', ...networkActors].map((to) => ({ to, event: told })));
      engine.flush();
      jobs.resume(store.loadJobs());
      transactions.start();
      watcher.start();
    },
    /** In order: nothing new, then the chain, then the wire, then the disk. */
    async stop() {
      deliver({ to: 'node', event: { type: 'told.stop' } });
      engine.flush();
      online.end();
      await watcher.stop();
      await transactions.stop();
      engine.close();
      await transport.close();
      questions.end();
      store.close();
    },
  };
}

/** Whether the actor lived and ended: a payment by its secrethash, whichever part this node had in it. */
function hasEnded(store: NodeParts['store'], id: string): boolean {
  const secrethash = id.split(':')[1];
  return isHexOf(secrethash, 32) ? store.isSecrethashUsed(secrethash) : store.hasEnded(id);
}
