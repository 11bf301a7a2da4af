/**
 * Puts the folders of `src/node` together into one running node, and does nothing else. What happens inside a running
 * node is explained in `runtime/commits/turn.ts`.
 */
import { createContext } from './api/context.ts';
import { createAnswers } from './api/keyed.ts';
import { createPayments } from './api/payments.ts';
import { createFollower } from './chain/follower.ts';
import { createJobQueue } from './chain/jobs/job-queue.ts';
import { createJobTroubles } from './chain/jobs/job-troubles.ts';
import { createLateness } from './chain/lateness.ts';
import { createPressure } from './chain/pressure.ts';
import { createProtection } from './chain/protection.ts';
import { createLife } from './life.ts';
import { createAnnouncements } from './messaging/announce.ts';
import { createBrokerWatch } from './messaging/broker-watch.ts';
import { createMessaging } from './messaging/messaging.ts';
import { chooseFinder } from './routing/finder.ts';
import { type Index, indexActors, indexEnd, indexSpawn } from './runtime/actors/boot.ts';
import { channelState, isServing, unsignedChanges } from './runtime/actors/channel-states.ts';
import { withSafeMinimum } from './runtime/actors/settings-in-force.ts';
import { createPerform } from './runtime/commits/perform.ts';
import { createChannelFigures } from './runtime/knowledge/channel-figures.ts';
import { createDiskWatch } from './runtime/knowledge/disk-watch.ts';
import { unwatched } from './runtime/knowledge/file-watch.ts';
import { createLockGate } from './runtime/knowledge/lock-gate.ts';
import { noMeter } from './runtime/knowledge/meter.ts';
import { createSweeper } from './runtime/knowledge/sweeper.ts';
import { createFrozenChannels, createUnsafeChannels } from './runtime/knowledge/unsafe-channels.ts';
import { backlogRule, silentChannels } from './runtime/outbox/backlog.ts';
import { type NodeParts, type NodeSettings, partsRule } from './runtime/parts.ts';
import { createRuntime } from './runtime/runtime.ts';

export type Node = ReturnType<typeof assemble>;

/** Builds a node from its database. Nothing runs, and nothing is sent, before `start`. */
export function assemble(given: NodeSettings, parts: NodeParts) {
  const settings = withSafeMinimum(given);
  const { store, signer, transport, client, reads, clock, fault, log } = parts;
  const { meter = noMeter, safeMode = null, files = unwatched } = parts;
  const own = signer.address;
  const nowBlock = () => follower.nowBlock();
  const replicaAway = () =>
    parts.replica?.isWaitedFor() === true ? parts.replica.trouble() : null;

  const protection = createProtection({
    own,
    reads,
    clock,
    confirmations: settings.confirmations,
    nowBlock,
    forced: store.forced(),
    tokenValues: settings.tokenValues ?? new Map(),
    reserved: () => jobs.reserved(),
    turn: (deliveries) => engine.turn(deliveries),
  });
  const unsafe = createUnsafeChannels();
  const frozen = createFrozenChannels();
  const lateness = createLateness({ clock, log });
  const figures = createChannelFigures();
  const diskWatch = createDiskWatch({ disk: parts.disk ?? null, clock, log });
  const brokerWatch = createBrokerWatch({ transport, clock, log });
  const runtime = createRuntime(settings, parts, {
    perform: (afterwards, changed) => perform(afterwards, changed),
    protect: (afterwards) => jobs.protect(afterwards),
    ...createLockGate(protection, (actor) => actors.stateOf(actor), [
      partsRule(parts),
      diskWatch.rule,
      () => (replicaAway() === null ? null : 'replica_unavailable'),
      (asked) => follower.lockRule(asked),
      protection.rule,
      (asked) => judgeBacklog(asked),
    ]),
    ...protection.accounts,
    nowBlock,
    textOf: (reply) => answers.textOf(reply),
    onChanged(id) {
      const state = actors.stateOf(id);
      if (state === null) return;
      wakeUps.note(id, state);
      for (const one of summaries) one.note(id, state);
    },
    onSpawned: (spawn) => indexSpawn(spawn, index),
    onEnded: (id) => indexEnd(id, index),
  });
  const { actors, engine, outbox, questions, directory, networks, keepers, wakeUps } = runtime;
  const { feed, journal, fatal, actorSettings } = runtime;
  const judgeBacklog = backlogRule(outbox, (id) => unsignedChanges(actors, id));

  const pressure = createPressure({
    hasUnapplied: () => follower.hasUnapplied(),
    hasUnsent: () => jobs.hasUnsent(),
    elapsed: () => clock.elapsed(),
  });
  /** As far as the chain is not asked. */
  const mayPromise = () =>
    isServing(actors) && protection.watch.hasLooked() && replicaAway() === null;
  const messaging = createMessaging({
    settings,
    parts,
    meter,
    actors,
    directory,
    keepers,
    outbox,
    engine,
    drawId: runtime.drawId,
    isReady: () => follower.isUpToDate() && mayPromise(),
    isReadySoon: () => follower.staleness() === null && mayPromise(),
    isPressed: pressure.isPressed,
    mayPayLate: protection.budgets.mayPayLate,
    hasTakenOver: parts.replica?.hasTakenOver === true,
    onRival: fatal('the same key is in use by another process', 'rival'),
    onFenced: () =>
      log.warn({}, 'another process with this key listens: it cannot write into the stream'),
    onAway: (partner) => payments.noteAway(partner),
    onSpeaking() {
      announcements.begin();
      finder.follows?.speaking();
    },
  });
  const { publisher, presence } = messaging;
  const announcements = createAnnouncements({
    settings,
    own,
    actors,
    directory,
    transport,
    sign: (digest) => signer.sign(digest),
    reads,
    clock,
    log,
    maySpeak: messaging.maySpeak,
    flush: () => engine.flush(),
  });
  const finder = chooseFinder(settings, parts, {
    nowBlock,
    channels: () => directory.ofToken(null),
    stateOf: (id) => channelState(actors, id),
    mayBeThere: (address) => presence.stateOf(address) !== 'unreachable',
  });
  const watches = { protection, diskWatch, brokerWatch, files };
  const rooms = { runtime, presence, messaging, finder, nowBlock, figures, frozen, ...watches };
  const context = createContext(settings, parts, rooms);
  const answers = createAnswers(context);
  const payments = createPayments(context);
  const summaries = [protection.pending, unsafe, frozen, figures];
  const index: Index = { directory, wakeUps, networks, payments, presence, keepers, summaries };
  const found = indexActors(actors, index, actorSettings);

  const jobTroubles = createJobTroubles({ clock, log, lives: actors.has });
  const jobs = createJobQueue({
    settings,
    parts,
    meter,
    engine,
    fatal,
    troubles: jobTroubles,
    ledger: protection.ledger,
    confirmedBlock: () => follower.wholeBlock(),
  });
  const { keepHistoryMs: keepMs = null } = settings;
  const isClockRight = () => follower.headTrouble() === null;
  const { isMoney } = protection.pending;
  const sweeper = createSweeper({ ...parts, engine, keepMs, isClockRight, isMoney });
  const perform = createPerform({
    publisher,
    outbox,
    jobs,
    questions,
    fault,
    news: [feed, journal],
    announceChannels(changed) {
      finder.follows?.changed(changed);
      announcements.changed(changed);
    },
    reportRoute: finder.report,
    sweep: sweeper.begin,
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
    lateness,
    meter,
    log,
    fatal,
    readBatch: parts.readBatch,
    keepersOf: keepers.of,
    mayServe: safeMode === null,
    onConfirmed(logs) {
      finder.follows?.confirmed(logs);
      jobs.confirmed();
      messaging.goOn();
    },
    onCaughtUp() {
      if (safeMode === null) messaging.caughtUp();
    },
  });
  const life = createLife({
    parts,
    runtime,
    found,
    messaging,
    announcements,
    finder,
    follower,
    jobs,
    sweeper,
    ...watches,
  });

  return {
    settings,
    own,
    actors,
    engine,
    store,
    questions,
    context,
    answers,
    payments,
    networks,
    directory,
    view: context.view,
    outbox,
    feed,
    journal,
    log,
    clock,
    reads,
    safeMode,
    unsafe,
    frozen,
    /** The channels in which no lock is given, because their partners do not acknowledge. */
    silent: () => silentChannels(outbox, actors),
    lateness,
    figures,
    ...watches,
    nowBlock,
    headStatus: follower.head,
    isListening: messaging.isListening,
    staleness: follower.staleness,
    replicaAway,
    replica: parts.replica ?? null,
    monitoringTrouble: announcements.monitoringTrouble,
    headTrouble: follower.headTrouble,
    jobs,
    failingTransactions: jobTroubles.failing,
    ...life,
  };
}
