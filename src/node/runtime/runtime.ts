/** The runtime of one node: its actors, their commits, journal and feed, and the callers that wait for an answer. */
import type { Reply, ReplyValue } from '../../../machines/effects.ts';
import { drawUint64 } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import { toHex } from '../../basics/hex.ts';
import type { Batch } from '../../store/base/batch.ts';
import { createActors } from './actors/actors.ts';
import { expectBooks } from './actors/books.ts';
import { createKeeperIndex, indexActors, keepIndex } from './actors/boot.ts';
import { isSettled, unsignedChanges } from './actors/channel-states.ts';
import { createDirectory } from './actors/directory.ts';
import { createWakeUps } from './actors/wake-ups.ts';
import type { Delivery } from './commits/delivery.ts';
import { createFeed } from './commits/feed.ts';
import { createNews } from './commits/news.ts';
import { createQuestions } from './commits/questions.ts';
import { createEngine, type EngineOptions } from './commits/turn.ts';
import type { Happenings } from './happenings.ts';
import { createAudit } from './knowledge/audit.ts';
import { boundsFrom } from './knowledge/bounds.ts';
import { type Begun, type Call, createCalls } from './knowledge/calls.ts';
import { createEnds } from './knowledge/ends.ts';
import { createLockGate, type LockRule } from './knowledge/lock-gate.ts';
import { metered, noMeter } from './knowledge/meter.ts';
import { createRedemptions } from './knowledge/redemptions.ts';
import { backlogRule } from './outbox/backlog.ts';
import { createOutbox } from './outbox/outbox.ts';
import type { FatalKind, NodeParts, NodeSettings } from './parts.ts';

type Beginning = Begun & { delivery: Delivery | null; requestId: string };
type Completed = { requestId: string; value: ReplyValue };
export type Runtime = ReturnType<typeof createRuntime>;

/** What the other folders of the node do for the runtime. */
type Hooks = Pick<
  EngineOptions,
  'charge' | 'noteMediated' | 'chargeLate' | 'changedPrices' | 'nowBlock'
> & {
  happenings: Happenings;
  /** Judges the secrets of payments to this node, and the locks by these rules and the outbox. */
  protection: Parameters<typeof createLockGate>[0];
  rules: readonly LockRule[];
  /** The codec's text of what the caller is answered, in the state of this very turn. */
  textOf(reply: Reply): string;
};

/** Reads the rows of all stored actors; nothing changes before the first turn. */
export function createRuntime(settings: NodeSettings, parts: NodeParts, hooks: Hooks) {
  const { store, signer, clock, chance, fault, log, meter = noMeter } = parts;
  const { happenings, protection, rules } = hooks;
  const { chainId, confirmations, defaultRevealTimeout, minRevealTimeout } = settings;
  const actorSettings = { confirmations, defaultRevealTimeout, minRevealTimeout };
  const now = () => clock.now();
  const elapsed = () => clock.elapsed();
  const drawId = () => drawUint64(chance);

  const questions = createQuestions(toHex(chance.bytes(8)));
  const fatal = (reason: string, kind: FatalKind) => (error: unknown) => {
    // The node is being ended already: what fails now is that the stream, or the database, takes nothing, as it should.
    if (parts.replica?.isEnded() === true || parts.files?.isOver() === true)
      return questions.fail(new Error(reason));
    if (kind === 'internal') meter.violation();
    log.error({ reason, error: String(error) }, 'the node cannot go on');
    questions.fail(new Error(reason));
    parts.onFatal(reason, error, kind);
  };
  const audit = createAudit({ log, elapsed });
  const feed = createFeed(store, () => engine.settle(), log);
  const journal = createNews(store.journal.bounds, (error) =>
    log.warn({ error: String(error) }, 'a listener of the journal failed'),
  );
  const outbox = createOutbox({ rows: store.loadOutbox(), drawId, elapsed });
  const actors = createActors({
    node: { chainId, own: signer.address, ...actorSettings },
    rows: store.loadActors(),
    onEffect: (from, effect) => engine.collect(from, effect),
  });
  const index = {
    directory: createDirectory({ isSettled: (id) => isSettled(actors, id) }),
    /** The token of each token network. */
    networks: new Map<Address, Address>(),
    keepers: createKeeperIndex(),
    wakeUps: createWakeUps(),
  };
  keepIndex(happenings, index);
  const bounds = boundsFrom(settings, parts);
  const backlog = backlogRule(outbox, (id) => unsignedChanges(actors, id), bounds);
  const commits = metered(meter, store);
  const calls = createCalls({ store, textOf: hooks.textOf, elapsed });
  const redemptions = createRedemptions(store);
  const ends = createEnds(clock);
  const engine = createEngine({
    ...hooks,
    ...createLockGate(protection, actors.stateOf, [...rules, backlog]),
    actors,
    outbox,
    store: commits.store,
    onDurable(batch) {
      commits.onDurable(batch);
      audit.note(batch);
      calls.forget(batch);
      redemptions.forget(batch);
    },
    tell: happenings.tell,
    onReply: (reply, batch, isAtOnce) => calls.end(batch, reply, isAtOnce),
    resolve: index.directory.resolve,
    now,
    elapsed,
    journalLimit: store.journal.limit,
    onFatal: fatal('a turn or its commit failed', 'internal'),
    ...(parts.checkBooks === true ? { audit: () => expectBooks(actors) } : {}),
    fault,
  });

  happenings.on('ended', ends.tell);
  happenings.on('affordable', (waiting) => {
    engine.turn(waiting.map((to) => ({ to, event: { type: 'chain.block' } })));
  });

  return {
    actorSettings,
    actors,
    engine,
    outbox,
    questions,
    ...index,
    feed,
    journal,
    audit,
    fatal,
    drawId,
    now,
    calls,
    redemptions,
    ends,
    deliver: (...deliveries: Delivery[]) => engine.turn(deliveries),
    /** Reads every stored actor once, and tells of each; to be called when all who follow have said so. */
    readActors: () => indexActors(actors, index, actorSettings, happenings),
    /**
     * Begins something for a call: delivers the command, or, with null, joins what is under way; from then on the call is
     * known to wait for the request. Whether that could be done: a broken node begins nothing.
     */
    begin(call: Call, { delivery, requestId, paymentId }: Beginning): boolean {
      if (engine.isBroken()) return false;
      call.begun = { paymentId };
      const { keyed } = call;
      if (delivery === null && keyed === null) return true;
      engine.turn(delivery === null ? [] : [delivery], (batch) => {
        if (keyed !== null) calls.begin(batch, { ...keyed, request: requestId, paymentId });
      });
      return true;
    },
    /**
     * Does for a call what no actor decides: it is written, and answered when it is on disk. Whether that could be done, as
     * above.
     */
    complete(call: Call, { requestId, value }: Completed, write: (batch: Batch) => void): boolean {
      if (engine.isBroken()) return false;
      call.begun = { paymentId: null };
      const { keyed } = call;
      engine.turn([], (batch, answer) => {
        if (keyed !== null) calls.begin(batch, { ...keyed, request: requestId, paymentId: null });
        write(batch);
        answer({ type: 'reply.ok', requestId, value });
      });
      return true;
    },
  };
}
