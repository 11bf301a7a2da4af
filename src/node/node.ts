/**
 * Puts the folders of `src/node` together into one running node, and does nothing else: the runtime, then the chain, then
 * messages and routes, then what the API asks. Each part knows those that were built before it; what the earlier ones need
 * of it, it is told as it happens (`runtime/happenings.ts`). Three things are asked the other way; each is marked here.
 * What happens inside a running node is explained in `runtime/commits/turn.ts`.
 *
 * Where a part is given whole objects, they come first: what is given by name cannot be replaced by something in them.
 */
import type { Address } from '../basics/hex.ts';
import type { FeeTerms } from '../protocol/fees/fee-terms.ts';
import { createContext } from './api/context.ts';
import { createAnswers } from './api/keyed.ts';
import { createPayments } from './api/payments.ts';
import { createFollower } from './chain/follower.ts';
import { type ChainHeight, createChainHeight } from './chain/height.ts';
import { createJobQueue } from './chain/jobs/job-queue.ts';
import { createJobTroubles } from './chain/jobs/job-troubles.ts';
import { createLateness } from './chain/lateness.ts';
import { createPressure } from './chain/pressure.ts';
import { createProtection, type Protection } from './chain/protection.ts';
import { createLife } from './life.ts';
import { createAnnouncements } from './messaging/announce.ts';
import { createBrokerWatch } from './messaging/broker-watch.ts';
import { createMessaging } from './messaging/messaging.ts';
import { chooseFinder } from './routing/finder.ts';
import { channelState, isServing } from './runtime/actors/channel-states.ts';
import { withSafeMinimum } from './runtime/actors/settings-in-force.ts';
import { createPerform } from './runtime/commits/perform.ts';
import { createHappenings, type Happenings } from './runtime/happenings.ts';
import { boundsFrom } from './runtime/knowledge/bounds.ts';
import { createChannelFigures } from './runtime/knowledge/channel-figures.ts';
import { createDiskWatch } from './runtime/knowledge/disk-watch.ts';
import { unwatched } from './runtime/knowledge/file-watch.ts';
import { noMeter } from './runtime/knowledge/meter.ts';
import { createSweeper } from './runtime/knowledge/sweeper.ts';
import { createFrozenChannels, createUnsafeChannels } from './runtime/knowledge/unsafe-channels.ts';
import { silentChannels } from './runtime/outbox/backlog.ts';
import { type NodeParts, type NodeSettings, partsRule, replicaAway } from './runtime/parts.ts';
import { createRuntime, type Runtime } from './runtime/runtime.ts';

export type Node = ReturnType<typeof assemble>;

/** Builds a node from its database. Nothing runs, and nothing is sent, before `start`. */
export function assemble(given: NodeSettings, parts: NodeParts) {
  const charged = new Map(given.fees.byToken);
  const settings = { ...withSafeMinimum(given), fees: { ...given.fees, byToken: charged } };
  const { store, signer, clock, log, reads, safeMode = null } = parts;
  const happenings = createHappenings();
  const height = createChainHeight(store.cursor()?.block ?? blockBefore(settings.deployBlock));
  const watches = watchesOf(parts);
  const protection = createProtection({
    settings,
    parts,
    height,
    happenings,
    // Of a later part: what the transactions under way can cost.
    reserved: () => chain.jobs.reserved(),
  });
  const runtime = createRuntime(settings, parts, {
    ...protection.accounts,
    happenings,
    protection,
    nowBlock: height.nowBlock,
    rules: [
      partsRule(parts),
      watches.diskWatch.rule,
      () => (watches.replicaAway() === null ? null : 'replica_unavailable'),
      // Of a later part: whether the chain is seen as it is now.
      (asked) => chain.follower.lockRule(asked),
      protection.rule,
    ],
    // Of a later part: what a caller is answered.
    textOf: (reply) => answers.textOf(reply),
  });
  const built: Built = { settings, parts, happenings, height, protection, runtime };
  const counts = countsOf(happenings, protection);
  const chain = chainOf(built);
  const network = networkOf(built, chain);
  const context = createContext({ ...built, ...watches, ...counts, ...network });
  const answers = createAnswers({ own: signer.address, view: context.channels.view });
  const payments = createPayments(context, happenings);
  performWrites(built, chain, network);
  const found = runtime.readActors();
  const { follower, troubles } = chain;
  const { announcements, messaging } = network;
  const life = createLife({ ...built, ...watches, ...chain, ...network, found });

  return {
    ...runtime,
    ...watches,
    ...counts,
    ...chain,
    ...life,
    settings,
    own: signer.address,
    reads,
    store,
    clock,
    log,
    safeMode,
    context,
    answers,
    payments,
    protection,
    nowBlock: height.nowBlock,
    /** The channels in which no lock is given, because their partners do not acknowledge. */
    silent: () => silentChannels(runtime.outbox, runtime.actors, boundsFrom(settings, parts)),
    headStatus: follower.head,
    staleness: follower.staleness,
    failingTransactions: troubles.failing,
    isListening: messaging.isListening,
    monitoringTrouble: announcements.monitoringTrouble,
    setFees(token: Address, terms: FeeTerms) {
      charged.set(token, terms);
      announcements.repeat();
    },
  };
}

/** What the later parts of a node are built on. */
type Built = {
  settings: NodeSettings;
  parts: NodeParts;
  happenings: Happenings;
  height: ChainHeight;
  protection: Protection;
  runtime: Runtime;
};

/** No block comes before block 0: a node that does not know the deployment's block begins at 0. */
const blockBefore = (deployBlock: bigint) => (deployBlock > 0n ? deployBlock - 1n : 0n);

/** Those who look at what the node stands on. */
function watchesOf(parts: NodeParts) {
  const { disk = null, files = unwatched, replica = null, transport, clock, log } = parts;
  return {
    diskWatch: createDiskWatch({ disk, clock, log }),
    brokerWatch: createBrokerWatch({ transport, clock, log }),
    files,
    replica,
    replicaAway: () => replicaAway(parts),
  };
}

/** What is counted over all actors, from the start on and as they change. */
function countsOf({ on }: Happenings, { pending }: Protection) {
  const unsafe = createUnsafeChannels();
  const frozen = createFrozenChannels();
  const figures = createChannelFigures();
  for (const one of [pending, unsafe, frozen, figures]) {
    on('found', one.note);
    on('changed', one.note);
    on('ended', one.forget);
  }
  return { unsafe, frozen, figures };
}

type Chain = ReturnType<typeof chainOf>;
/** What reads the chain, and what writes to it. */
function chainOf({ settings, parts, happenings, height, protection, runtime }: Built) {
  const { clock, log, meter = noMeter } = parts;
  const { actors, engine, fatal } = runtime;
  const lateness = createLateness({ clock, log });
  const troubles = createJobTroubles({ clock, log, lives: actors.has });
  const jobs = createJobQueue({
    settings,
    parts,
    meter,
    engine,
    fatal,
    troubles,
    ledger: protection.ledger,
    confirmedBlock: height.wholeBlock,
  });
  happenings.on('onDisk', jobs.protect);
  happenings.on('confirmed', jobs.confirmed);
  const follower = createFollower({ settings, parts, runtime, height, lateness, happenings });
  const sweeper = createSweeper({
    ...parts,
    engine,
    keepMs: settings.keepHistoryMs ?? null,
    isClockRight: () => follower.headTrouble() === null,
    isMoney: protection.pending.isMoney,
  });
  return { lateness, troubles, jobs, follower, sweeper };
}

type Network = ReturnType<typeof networkOf>;
/** What speaks with partners and services, and what finds routes. */
function networkOf(built: Built, { follower, jobs }: Chain) {
  const { settings, parts, happenings, height, protection, runtime } = built;
  const { signer, transport, reads, clock, log, replica, meter = noMeter } = parts;
  const { actors, directory, engine, fatal } = runtime;
  const pressure = createPressure({
    hasUnapplied: follower.hasUnapplied,
    hasUnsent: jobs.hasUnsent,
    elapsed: () => clock.elapsed(),
  });
  /** As far as the chain is not asked. */
  const mayPromise = () =>
    isServing(actors) && protection.watch.hasLooked() && replicaAway(parts) === null;
  const messaging = createMessaging({
    ...runtime,
    settings,
    parts,
    meter,
    happenings,
    isReady: () => follower.isUpToDate() && mayPromise(),
    isReadySoon: () => follower.staleness() === null && mayPromise(),
    isPressed: pressure.isPressed,
    mayPayLate: protection.budgets.mayPayLate,
    hasTakenOver: replica?.hasTakenOver === true,
    onRival: fatal('the same key is in use by another process', 'rival'),
    onFenced: () =>
      log.warn({}, 'another process with this key listens: it cannot write into the stream'),
  });
  const { presence, maySpeak } = messaging;
  const announcements = createAnnouncements({
    settings,
    own: signer.address,
    actors,
    directory,
    transport,
    reads,
    clock,
    log,
    maySpeak,
    sign: (digest) => signer.sign(digest),
    flush: () => engine.flush(),
  });
  happenings.on('speaking', announcements.begin);
  const finder = chooseFinder(settings, parts, {
    nowBlock: height.nowBlock,
    channels: () => directory.ofToken(null),
    stateOf: (id) => channelState(actors, id),
    mayBeThere: (address) => presence.stateOf(address) !== 'unreachable',
  });
  const { follows } = finder;
  if (follows !== undefined) {
    happenings.on('confirmed', follows.confirmed);
    happenings.on('speaking', follows.speaking);
  }
  return { messaging, presence, announcements, finder };
}

/** Does what a written batch asks for. */
function performWrites({ parts, happenings, runtime }: Built, chain: Chain, network: Network) {
  const { outbox, questions, feed, journal } = runtime;
  const { finder, announcements, messaging } = network;
  const perform = createPerform({
    publisher: messaging.publisher,
    outbox,
    jobs: chain.jobs,
    questions,
    fault: parts.fault,
    news: [feed, journal],
    announceChannels(changed) {
      finder.follows?.changed(changed);
      announcements.changed(changed);
    },
    reportRoute: finder.report,
    sweep: chain.sweeper.begin,
  });
  happenings.on('written', perform);
}
