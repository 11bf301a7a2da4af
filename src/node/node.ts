/** One running node: its parts put together. What happens in it is told in turn.ts; here it is wired. */

import type { RecordPayment } from '../../machines/effects.ts';
import { tokenActorId } from '../../machines/node/chart.ts';
import { createParticipants } from '../chain/participants.ts';
import { drawUint64 } from '../protocol/environment.ts';
import { type Address, toHex } from '../protocol/hex.ts';
import { createPayments } from './api/payments.ts';
import { viewOf } from './api/views.ts';
import { createFollower } from './chain/follower.ts';
import { createJobQueue } from './chain/job-queue.ts';
import { createProtection } from './chain/protection.ts';
import { createAnnouncements } from './messaging/announce.ts';
import { createBrokerWatch } from './messaging/broker-watch.ts';
import { createMessaging } from './messaging/messaging.ts';
import { chooseFinder } from './routing/finder.ts';
import { createActors } from './runtime/actors.ts';
import { auditedCommit, createAudit } from './runtime/audit.ts';
import { expectBooks } from './runtime/books.ts';
import { type Index, indexActors, indexEnd, indexSpawn } from './runtime/boot.ts';
import { createBudgets } from './runtime/budgets.ts';
import { highestIn } from './runtime/channel-numbers.ts';
import {
  channelState,
  isSettled,
  payable,
  takes,
  userDepositState,
} from './runtime/channel-states.ts';
import { createDirectory, createWakeUps } from './runtime/directory.ts';
import { createDiskWatch } from './runtime/disk-watch.ts';
import { createFeed } from './runtime/feed.ts';
import { createKeepers } from './runtime/keepers.ts';
import { createLockGate } from './runtime/lock-gate.ts';
import { meteredCommit, noMeter } from './runtime/meter.ts';
import { createNews } from './runtime/news.ts';
import { protectLocks } from './runtime/orphans.ts';
import { createOutbox } from './runtime/outbox.ts';
import {
  type FatalKind,
  type NodeParts,
  type NodeSettings,
  replacedChain,
} from './runtime/parts.ts';
import { createPerform } from './runtime/perform.ts';
import { createQuestions } from './runtime/questions.ts';
import { withSafeMinimum } from './runtime/settings-in-force.ts';
import { createEngine, type Delivery } from './runtime/turn.ts';

export type Node = ReturnType<typeof assemble>;

/** Builds a node from its database; nothing runs and nothing leaves before `start`. */
export function assemble(given: NodeSettings, parts: NodeParts) {
  const settings = withSafeMinimum(given);
  const { store, signer, transport, client, reads, clock, chance, fault, log } = parts;
  const { meter = noMeter, safeMode = null } = parts;
  const own = signer.address;
  const { chainId, confirmations, contracts, defaultRevealTimeout, minRevealTimeout } = settings;
  const actorSettings = { confirmations, defaultRevealTimeout, minRevealTimeout };

  const fatal = (reason: string, kind: FatalKind) => (error: unknown) => {
    if (kind === 'internal') meter.violation();
    log.error({ reason, error: String(error) }, 'the node cannot go on');
    questions.fail(new Error(reason));
    parts.onFatal(reason, error, kind);
  };
  const directory = createDirectory({ isSettled: (id) => isSettled(actors, id) });
  const wakeUps = createWakeUps();
  const networks = new Map<Address, Address>();
  const keepers = createKeepers();
  const questions = createQuestions(toHex(chance.bytes(8)));
  const drawId = () => drawUint64(chance);
  const now = () => clock.now();
  const sign = (digest: Uint8Array) => signer.sign(digest);

  const audit = createAudit({ log, now });
  const feed = createFeed(store, log);
  const journal = createNews(store.journal.bounds, (error) =>
    log.warn({ error: String(error) }, 'a listener of the journal failed'),
  );
  const outbox = createOutbox({ rows: store.loadOutbox(), drawId, now });
  const actors = createActors({
    node: { chainId, own, ...actorSettings },
    rows: store.loadActors(),
    onEffect: (from, effect) => engine.collect(from, effect),
  });
  const protection = createProtection({
    own,
    reads,
    clock,
    confirmations,
    reserved: () => jobs.reserved(),
    turn: (deliveries) => engine.turn(deliveries),
  });
  const { pending, watch } = protection;
  const diskWatch = createDiskWatch({ disk: parts.disk ?? null, clock, log });
  const brokerWatch = createBrokerWatch({ transport, clock, log });
  let stopBrokerWatch = () => {};
  let stopWatch = () => {};
  let stopDiskWatch = () => {};
  const engine = createEngine({
    actors,
    outbox,
    commit: auditedCommit(
      audit,
      meteredCommit(meter, (batch) => store.commit(batch)),
    ),
    store,
    resolve: directory.resolve,
    perform: (afterwards, changed) => perform(afterwards, changed),
    judged: createLockGate([
      () => (safeMode === null ? null : 'chain_unavailable'),
      diskWatch.rule,
      (asked) => follower.lockRule(asked),
      ...protection.rules,
    ]),
    nowBlock: () => follower.nowBlock(),
    now,
    journalLimit: store.journal.limit,
    onChanged(id, wakeBlock) {
      wakeUps.set(id, wakeBlock);
      const state = actors.stateOf(id);
      if (state !== null) pending.note(id, state);
    },
    onSpawned: (spawn) => indexSpawn(spawn, index),
    onEnded: (id) => indexEnd(id, index),
    onFatal: fatal('a turn or its commit failed', 'internal'),
    ...(parts.checkBooks === true ? { audit: () => expectBooks(actors) } : {}),
    fault,
  });
  const deliver = (...deliveries: Delivery[]) => engine.turn(deliveries);
  /** A command that nobody can answer any more must not wait for ever. */
  const command = (delivery: Delivery) => {
    if (engine.isBroken()) throw new Error('the node is broken');
    deliver(delivery);
  };
  const messaging = createMessaging({
    settings,
    parts,
    meter,
    actors,
    directory,
    keepers,
    outbox,
    engine,
    drawId,
    isReady: () =>
      actors.stateOf('node')?.value === 'ready' &&
      follower.knowsThePast() &&
      follower.isUpToDate() &&
      watch.hasLooked(),
    onRival: () => fatal('the same key is in use by another process', 'rival')(null),
    onSpeaking() {
      announcements.begin();
      finder.hears?.speaking();
    },
  });
  const { publisher, presence } = messaging;
  const participants = createParticipants({ client, deployBlock: settings.deployBlock });
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
    highestChannelId: (network: Address) => highestIn(store.channelIds(), network),
    view,
    isSecretUsed: engine.isSecretUsed,
    userDeposit: () => userDepositState(actors),
    payable: (channel: string) => payable(actors, channel),
    takes: (channel: string, lock: Parameters<typeof takes>[2]) => takes(actors, channel, lock),
    channelsOf: directory.ofToken,
    canOpen: protection.canOpen,
    findPartner: presence.check,
    isThere: async (partner: Address) => {
      const known = presence.stateOf(partner);
      return known === 'reachable' ? known : presence.check(partner);
    },
    networkStateOf: presence.stateOf,
    participantsOf: (tokenNetwork: Address) => participants.of(tokenNetwork, follower.nowBlock()),
    flush: () => engine.flush(),
    finder: chooseFinder(settings, parts, {
      nowBlock: () => follower.nowBlock(),
      channels: () => directory.ofToken(null),
      stateOf: (id) => channelState(actors, id),
      mayBeThere: (address) => presence.stateOf(address) !== 'unreachable',
    }),
    brokerTrouble: brokerWatch.trouble,
    budgets: createBudgets({
      rows: store.budgets(),
      now,
      write: (row) => engine.turn([], (batch) => void batch.budgets.push(row)),
    }),
    record: (payment: RecordPayment) =>
      engine.turn([], (batch) => void batch.payments.push(payment)),
  };
  const { finder } = context;
  const payments = createPayments(context);
  const index: Index = { directory, wakeUps, networks, payments, presence, keepers, pending };
  const { wrongLocks, outdated } = indexActors(actors, index, actorSettings);

  const jobs = createJobQueue({
    settings,
    parts,
    meter,
    engine,
    fatal,
    nowBlock: () => follower.nowBlock(),
    lives: actors.has,
  });
  const perform = createPerform({
    publisher,
    outbox,
    jobs,
    questions,
    fault,
    news: [feed, journal],
    announceChannels(changed) {
      finder.hears?.changed(changed);
      announcements.changed(changed);
    },
    reportRoute: finder.report,
    dropProofs: (channel) => store.dropChannel(channel),
  });
  const announcements = createAnnouncements({
    settings,
    own,
    actors,
    directory,
    transport,
    sign,
    reads,
    clock,
    log,
    maySpeak: messaging.maySpeak,
  });
  const follower = createFollower({
    settings,
    own,
    networks,
    wakeUps,
    actors,
    engine,
    store,
    client,
    clock,
    meter,
    log,
    fatal,
    readBatch: parts.readBatch,
    keepersOf: keepers.of,
    mayServe: safeMode === null,
    onConfirmed(logs) {
      finder.hears?.confirmed(logs);
      jobs.confirmed();
    },
    onCaughtUp() {
      if (safeMode === null) messaging.caughtUp();
    },
  });

  function view(channel: string) {
    const state = channelState(actors, channel);
    return state === null ? null : viewOf(state, presence.stateOf(state.channel.partner));
  }

  return {
    settings,
    own,
    actors,
    engine,
    store,
    questions,
    context,
    payments,
    networks,
    directory,
    view,
    outbox,
    feed,
    journal,
    log,
    clock,
    reads,
    safeMode,
    protection,
    diskWatch,
    brokerWatch,
    nowBlock: () => follower.nowBlock(),
    headStatus: follower.head,
    staleness: follower.staleness,
    headTrouble: follower.headTrouble,
    transactionsPending: jobs.running,
    /** Nobody has to be woken and no transaction is on its way: nothing is lost by ending now. */
    isQuiet: () =>
      follower.head()?.status === 'ready' && wakeUps.size() === 0 && jobs.running() === 0,
    start() {
      // A process that died while it was ready begins behind the chain.
      deliver({ to: 'node', event: { type: 'actor.fellBehind' } });
      protectLocks(wrongLocks, { engine, store, log });
      engine.turn([], (batch) => {
        batch.channels.push(...follower.unlisted);
        if (store.fork() === null) batch.over.push('chain_replaced');
        else if (safeMode !== null) batch.notifications.push(replacedChain(safeMode));
      });
      const told = { type: 'actor.settings', settings: actorSettings } as const;
      const networkActors = [...networks.values()].map(tokenActorId);
      deliver(...['node', ...networkActors, ...outdated].map((to) => ({ to, event: told })));
      engine.flush();
      jobs.start();
      stopWatch = watch.start(fatal('the money for gas could not be looked up', 'internal'));
      if (safeMode === null) stopBrokerWatch = brokerWatch.start();
      stopDiskWatch = diskWatch.start((error) =>
        log.warn({ error: String(error) }, 'the room on the disk could not be looked up'),
      );
      finder.hears?.begin([...networks.keys()], follower.nowBlock());
      follower.start();
    },
    /** In order: nothing new, then the chain, then the wire, then the disk. */
    async stop() {
      deliver({ to: 'node', event: { type: 'actor.stop' } });
      engine.flush();
      stopWatch();
      stopDiskWatch();
      stopBrokerWatch();
      messaging.end();
      announcements.end();
      finder.hears?.end();
      await follower.stop();
      await jobs.stop();
      engine.close();
      await messaging.close();
      questions.end();
      audit.end();
      store.close();
    },
  };
}
