/** One running node: its parts put together. What happens in it is told in turn.ts; here it is wired. */

import type { RecordPayment } from '../../machines/effects.ts';
import { tokenActorId } from '../../machines/node.ts';
import { createParticipants } from '../chain/participants.ts';
import { createTransactions } from '../chain/transactions.ts';
import { type Address, toHex } from '../protocol/hex.ts';
import { createActors } from './actors.ts';
import { createAnnouncements } from './announce.ts';
import { type Index, indexActors, indexBirth, indexEnd } from './boot.ts';
import { createAlarmClock, createDirectory } from './directory.ts';
import { createFeed } from './feed.ts';
import { chooseFinder } from './finder.ts';
import { createFollower } from './follower.ts';
import { createInbox } from './inbox.ts';
import { createJobs } from './jobs.ts';
import { meteredCommit, noMeter } from './meter.ts';
import { createNews } from './news.ts';
import { createOnline } from './online.ts';
import { createOutbox } from './outbox.ts';
import { sentIn } from './parties.ts';
import { drawUint64, feesOf, type NodeParts, type NodeSettings } from './parts.ts';
import { createPayments } from './payments.ts';
import { createPerform } from './perform.ts';
import { createPresence } from './presence.ts';
import { createPublisher } from './publish.ts';
import { createQuestions } from './questions.ts';
import { hasEnded, isSecretUsed } from './secrethashes.ts';
import { createEngine, type Delivery } from './turn.ts';
import { channelState, payable, takes, userDepositState, viewOf } from './views.ts';

export type Node = ReturnType<typeof assemble>;
type FatalKind = Parameters<NodeParts['onFatal']>[2];

/** Builds a node from its database; nothing runs and nothing leaves before `start`. */
export function assemble(settings: NodeSettings, parts: NodeParts) {
  const { store, signer, transport, client, reads, clock, chance, fault, log } = parts;
  const { meter = noMeter } = parts;
  const own = signer.address;
  const { chainId, confirmations, contracts, defaultRevealTimeout, minRevealTimeout } = settings;
  const actorSettings = { confirmations, defaultRevealTimeout, minRevealTimeout };

  const fatal = (reason: string, kind: FatalKind) => (error: unknown) => {
    if (kind === 'internal') meter.violation();
    log.error({ reason, error: String(error) }, 'the node cannot go on');
    questions.fail(new Error(reason));
    parts.onFatal(reason, error, kind);
  };
  const directory = createDirectory();
  const alarms = createAlarmClock();
  const networks = new Map<Address, Address>();
  const questions = createQuestions(toHex(chance.bytes(8)));
  const drawId = () => drawUint64(chance);
  const now = () => clock.now();
  const sign = (digest: Uint8Array) => signer.sign(digest);

  const feed = createFeed(store, log);
  const journal = createNews(store.journal.bounds, (error) =>
    log.warn({ error: String(error) }, 'a listener of the journal failed'),
  );
  const outbox = createOutbox({ rows: store.loadOutbox(), drawId, now });
  const send = (to: Address, payload: Uint8Array) => {
    if (online.maySpeak()) transport.publish(to, payload);
  };
  const publisher = createPublisher({
    ...{ sign, send, outbox, drawId, fault },
    onSent: (type) => meter.message(type, 'out', 'ok'),
  });
  const actors = createActors({
    node: { chainId, own, ...actorSettings },
    rows: store.loadActors(),
    onEffect: (from, effect) => engine.collect(from, effect),
  });
  const engine = createEngine({
    actors,
    outbox,
    commit: meteredCommit(meter, (batch) => store.commit(batch)),
    hasEnded: (id) => hasEnded(store, id),
    resolve: directory.resolve,
    perform: (afterwards, changed) => perform(afterwards, changed),
    nowBlock: () => follower.nowBlock(),
    now,
    journalLimit: store.journal.limit,
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
    view,
    isSecretUsed: (hash: `0x${string}`) => isSecretUsed(actors, store, hash),
    userDeposit: () => userDepositState(actors),
    payable: (channel: string) => payable(actors, channel),
    takes: (channel: string, lock: Parameters<typeof takes>[2]) => takes(actors, channel, lock),
    channelsOf: directory.ofToken,
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
    record: (payment: RecordPayment) =>
      engine.turn([], (batch) => void batch.payments.push(payment)),
  };
  const { finder } = context;
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
    minedBlockOf: async (hash) => {
      const receipt = await transactions.receiptOf(hash);
      return receipt.ok && receipt.value?.isSuccess ? receipt.value.block : null;
    },
    confirmedBlock: () => follower.nowBlock(),
    onEnd: meter.transaction,
    endJob: (key, delivery) => engine.endJob(key, delivery),
    onFatal: fatal('a transaction could not be followed', 'internal'),
    fault,
  });
  const perform = createPerform({
    ...{ publisher, outbox, transactions, jobs, questions, fault },
    news: [feed, journal],
    announceChannels(changed) {
      finder.hears?.changed(changed);
      announcements.changed(changed);
    },
    reportRoute: finder.report,
    dropProofs: (channel) => store.dropChannel(channel),
  });
  const inbox = createInbox({
    own,
    chainId,
    feesOf: (token) => feesOf(settings, token),
    sentIn: (channel, secrethash) => sentIn(actors, channel, secrethash),
    recover: parts.recover,
    isReady: () => actors.stateOf('node')?.value === 'ready' && follower.knowsThePast(),
    turn: (deliveries) => engine.turn(deliveries),
    acknowledge: (messageId, sender) => engine.acknowledge(messageId, sender),
    onHeard(sender, type) {
      presence.heard(sender);
      meter.message(type, 'in', 'ok');
    },
    onRefused(reason) {
      meter.message('unknown', 'in', 'refused');
      log.warn({ reason }, 'a partner message was refused');
    },
    fault,
  });
  const online = createOnline({
    ...{ transport, inbox, outbox, publisher, presence, clock },
    onRival: () => fatal('the same key is in use by another process', 'foreign')(null),
    onSpeaking() {
      announcements.begin();
      finder.hears?.speaking();
    },
  });
  const announcements = createAnnouncements({
    ...{ settings, own, actors, directory, transport, sign, reads, clock, log },
    maySpeak: online.maySpeak,
  });
  const follower = createFollower({
    ...{ settings, own, networks, alarms, engine, store, client, meter, log, fatal },
    onConfirmed(logs) {
      finder.hears?.confirmed(logs);
      jobs.confirmed();
    },
    onCaughtUp() {
      online.begin();
      for (const partner of presence.reachable()) meet(partner);
    },
  });

  function view(channel: string) {
    const state = channelState(actors, channel);
    return state === null ? null : viewOf(state, presence.stateOf(state.channel.partner));
  }

  return {
    ...{ settings, own, actors, engine, store, questions, context, payments, networks, directory },
    ...{ view, outbox, feed, journal, log, clock, reads },
    nowBlock: () => follower.nowBlock(),
    headStatus: follower.head,
    transactionsPending: jobs.running,
    /** Nobody has to be woken and no transaction is on its way: nothing is lost by ending now. */
    isQuiet: () =>
      follower.head()?.status === 'ready' && alarms.size() === 0 && jobs.running() === 0,
    start() {
      // A process that died while it was ready begins behind the chain.
      deliver({ to: 'node', event: { type: 'told.fellBehind' } });
      engine.turn([], (batch) => void batch.channels.push(...follower.unlisted));
      const told = { type: 'told.settings', settings: actorSettings };
      const networkActors = [...networks.values()].map(tokenActorId);
      deliver(...['node', ...networkActors].map((to) => ({ to, event: told })));
      engine.flush();
      jobs.resume(store.loadJobs());
      transactions.start();
      finder.hears?.begin([...networks.keys()], follower.nowBlock());
      follower.start();
    },
    /** In order: nothing new, then the chain, then the wire, then the disk. */
    async stop() {
      deliver({ to: 'node', event: { type: 'told.stop' } });
      engine.flush();
      online.end();
      announcements.end();
      finder.hears?.end();
      await follower.stop();
      await transactions.stop();
      engine.close();
      await transport.close();
      questions.end();
      store.close();
    },
  };
}
