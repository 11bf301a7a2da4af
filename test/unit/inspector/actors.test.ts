import { describe, expect, it, vi } from 'vitest';
import { isAnswer } from '../../../src/inspector/answers.ts';
import { machineDefinition } from '../../../src/inspector/charts/definitions.ts';
import { createInspector } from '../../../src/inspector/inspector.ts';
import type { StartWorker } from '../../../src/inspector/stream/supervisor.ts';
import type { JournalStep } from '../../../src/node/api/inspection.ts';
import { KINDS, type StoredState, stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { decode, encode } from '../../../src/store/base/codec.ts';
import { addLock, openChannel, withEnds } from '../../support/channel-makers.ts';
import { CHANNEL, hashOf, OWN, PARTNER, secretOf, TOKEN } from '../../support/makers.ts';
import { forInitiator, initiator, orderOf } from '../../support/payment-makers.ts';
import { fakeInspection, fakeJournal } from './fake-inspection.ts';

type Given = NonNullable<Parameters<typeof fakeInspection>[0]>;

const INITIATOR = `initiator:${hashOf(1)}`;

async function ask(path: string, given: Given = {}) {
  const failures: unknown[] = [];
  const inspector = createInspector({
    inspection: fakeInspection(given),
    onFailure: (error) => failures.push(error),
  });
  const mark = path.includes('?') ? '&' : '?';
  const url = `http://node/inspector/${path}${mark}numbers=tagged`;
  const response = await inspector.handle(new Request(url));
  const body = decode(await response.text());
  await inspector.end();
  expect(failures).toEqual([]);
  return { status: response.status, body };
}

type Stored = Pick<StoredState, 'value' | 'context'>;

/** A node in which these actors live. */
function living(actors: Record<string, { snapshot: Stored }>): Given {
  return {
    actors: {
      ids: () => Object.keys(actors),
      stateOf(id) {
        const actor = actors[id];
        return actor === undefined ? null : stateFrom(id, actor.snapshot);
      },
    },
  };
}

function step(seq: number, parts: Partial<JournalStep>): JournalStep {
  return {
    seq,
    commit: seq,
    kind: 'event',
    actor: INITIATOR,
    cause: 'outside',
    causeSeq: null,
    event: '',
    state: 'locking',
    version: KINDS.initiator.version,
    block: 100n,
    time: 0,
    ...parts,
  };
}

async function listed(path: string, given: Given) {
  const { body } = await ask(path, given);
  if (!isAnswer('actors', body)) throw new Error('not a list of actors');
  return body;
}
const ids = ({ actors }: Awaited<ReturnType<typeof listed>>) => actors.map(({ actor }) => actor);

const channel = openChannel().tell(addLock());
const payment = initiator().tell(forInitiator.lockAdded);
const both = living({ [CHANNEL]: channel, [INITIATOR]: payment });

describe('the list of actors', () => {
  it('is every live actor, as of the newest step of the journal', async () => {
    const answer = await listed('actors', { ...both, steps: [step(7, {})], nowBlock: () => 100n });
    expect(answer).toMatchObject({ block: 100n, seq: 7 });
    expect(answer.actors).toMatchObject([
      { actor: CHANNEL, machine: 'channel', isEnded: false },
      { actor: INITIATOR, state: 'locked', amount: 10n },
    ]);
  });

  it('is told whole when it is large', async () => {
    const names = Array.from({ length: 1_001 }, (_, n) => `channel:many:${n}`);
    const many = living(Object.fromEntries(names.map((name) => [name, channel])));
    expect(ids(await listed('actors', many))).toEqual(names);
  });

  it('is narrowed by what the query says', async () => {
    expect(ids(await listed('actors?machine=channel', both))).toEqual([CHANNEL]);
    expect(ids(await listed('actors?state=locked', both))).toEqual([INITIATOR]);
    expect(ids(await listed('actors?payment=1', both))).toEqual([INITIATOR]);
    expect(ids(await listed(`actors?token=${TOKEN}&partner=${PARTNER}`, both))).toHaveLength(2);
    expect(ids(await listed('actors?machine=target', both))).toEqual([]);
  });

  const spawned = { id: INITIATOR, own: PARTNER, confirmations: 5n, order: orderOf() };
  const life = [
    step(1, { kind: 'spawn', event: encode(spawned) }),
    step(2, { kind: 'stop', state: 'paid' }),
  ];

  it('has the ended ones too when they are asked for, with what they were spawned with', async () => {
    const given = { ...living({ [CHANNEL]: channel }), steps: life };
    expect(ids(await listed('actors', given))).toEqual([CHANNEL]);
    const { actors } = await listed('actors?ended=1', given);
    expect(actors.map(({ actor }) => actor)).toEqual([CHANNEL, INITIATOR]);
    expect(actors[1]).toMatchObject({ state: 'paid', paymentId: 1n, amount: 10n, isEnded: true });
    expect(ids(await listed('actors?ended=1&payment=1', given))).toEqual([INITIATOR]);
  });

  it.each([
    { ended: 1_000, hasMore: false },
    { ended: 1_001, hasMore: true },
  ])('tells at most 1,000 ended ones, and whether there are more: of $ended', async (given) => {
    const steps = Array.from({ length: given.ended }, (_, index) =>
      step(index + 1, { kind: 'stop', state: 'paid', actor: `initiator:0x${index}` }),
    );
    const found = await listed('actors?ended=1', { ...living({}), steps });
    expect([found.actors.length, found.hasMore]).toEqual([1_000, given.hasMore]);
  });

  it('has the newest of them first, each once, and none that lives', async () => {
    const other = `initiator:${hashOf(2)}`;
    const ends = [
      ...life,
      step(3, { kind: 'stop', actor: other, state: 'failed' }),
      step(4, { kind: 'stop', state: 'failed' }),
      step(5, { kind: 'stop', actor: CHANNEL, state: 'gone' }),
    ];
    const given = { ...living({ [CHANNEL]: channel }), steps: ends };
    const { actors } = await listed('actors?ended=1', given);
    expect(actors.map(({ actor, state }) => [actor, state])).toEqual([
      [CHANNEL, expect.any(String)],
      [INITIATOR, 'failed'],
      [other, 'failed'],
    ]);
  });

  it.each(['machine=initiator', 'state=failed', `payment=${hashOf(2)}`])(
    'reads what an ended one was spawned with only when its end does not rule it out: %s',
    async (query) => {
      const targets = Array.from({ length: 20 }, (_, at) => `target:${hashOf(at + 3)}`);
      const stops = [...targets, `initiator:${hashOf(2)}`].map((actor, at) =>
        step(at + 1, { kind: 'stop', actor, state: actor.startsWith('t') ? 'paid' : 'failed' }),
      );
      const journal = fakeJournal({ steps: stops });
      const baseOf = vi.fn(journal.baseOf);
      const given = { ...living({}), journal: { ...journal, baseOf } };
      const found = await listed(`actors?ended=1&${query}`, given);
      expect(ids(found)).toEqual([`initiator:${hashOf(2)}`]);
      expect(baseOf.mock.calls).toEqual([[`initiator:${hashOf(2)}`, stops.length]]);
    },
  );

  it('includes ended actors of whose spawn the journal knows nothing', async () => {
    const [, stop = step(2, {})] = life;
    const { actors } = await listed('actors?ended=1', { steps: [stop] });
    expect(actors).toMatchObject([{ actor: INITIATOR, state: 'paid', paymentId: null }]);
  });
});

async function actor(id: string, given: Given) {
  const { status, body } = await ask(`actors/${encodeURIComponent(id)}`, given);
  return { status, view: isAnswer('actor', body) ? body : null, body };
}

describe('one actor', () => {
  it('is shown with its money, its deadlines and what it takes next', async () => {
    const { view } = await actor(CHANNEL, { ...both, nowBlock: () => 100n });
    expect(view?.row).toMatchObject({ actor: CHANNEL, partner: PARTNER, isEnded: false });
    expect(view?.money?.own).toMatchObject({ balance: 100n, locked: 10n, capacity: 90n });
    expect(view?.block).toBe(100n);
    expect(view?.version).toBe(machineDefinition('channel').version);
    // Of its own states, of those around them, and none of states that are not active.
    expect(view?.next).toEqual(expect.arrayContaining(['cmd.deposit', 'msg.update', 'cmd.*']));
    expect(view?.next).not.toContain('chain.proofUpdated');
    expect(view?.next).not.toContain('');
    // The payment that the lock is for is asked what it plans.
    expect(view?.deadlines).toMatchObject([{ what: 'lock', side: 'own', amount: 10n }]);
    expect(view?.deadlines[0]?.action).toContain('unless the target asks for the secret');
  });

  it('keeps its secrets', async () => {
    const { view, body } = await actor(INITIATOR, both);
    expect(view?.context).toMatchObject({ order: { secret: { $redacted: 'secret' } } });
    expect(encode(body)).not.toContain(secretOf(1).slice(2));
    expect(view?.money).toBeNull();
  });

  it('is shown as it ended when the journal goes back to its spawn', async () => {
    const spawned = { id: INITIATOR, own: OWN, confirmations: 5n, order: orderOf() };
    const { type, code, detail } = forInitiator.lockRefused('too_many_locks');
    const steps = [
      step(1, { kind: 'spawn', event: encode(spawned) }),
      step(2, { event: encode({ type, code, detail }), state: 'failed' }),
      step(3, { kind: 'stop', state: 'failed' }),
    ];
    const { view, body } = await actor(INITIATOR, { steps });
    expect(view?.row).toMatchObject({ state: 'failed', paymentId: 1n, isEnded: true });
    expect(view).toMatchObject({ next: [], deadlines: [], money: null, seq: 3 });
    expect(encode(body)).not.toContain(secretOf(1).slice(2));
  });

  it('is looked up in the journal outside of the node’s own thread', async () => {
    const silent: StartWorker = () => ({ post: () => {}, end: async () => {} });
    const journal = {
      ...fakeInspection().journal,
      ofActor: () => {
        throw new Error('read on the thread of the node');
      },
    };
    const inspector = createInspector({ inspection: fakeInspection({ journal }), start: silent });
    const asked = inspector.handle(new Request('http://node/inspector/actors/channel:x:1'));
    await inspector.end();
    expect((await asked).status).toBe(503);
  });

  it('has a history that can be asked for in part: after a step, and what says one of some words', async () => {
    const spawned = { id: INITIATOR, own: OWN, confirmations: 5n, order: orderOf() };
    const refused = (secrethash: string) =>
      encode({ type: 'msg.lockExpired', secrethash, code: 'x', detail: secrethash });
    const steps = [
      step(1, { kind: 'spawn', event: encode(spawned) }),
      ...[7, 8, 9].map((n, at) => step(at + 2, { event: refused(hashOf(n)) })),
    ];
    const path = `actors/${encodeURIComponent(INITIATOR)}/history`;
    const seqs = async (query: string) => {
      const { body } = await ask(`${path}?${query}`, { steps });
      if (!isAnswer('history', body)) throw new Error('not a history');
      return { seqs: body.steps.map((records) => records[0]?.seq), hasMore: body.hasMore };
    };
    expect(await seqs('after=1&limit=2')).toEqual({ seqs: [3, 4], hasMore: true });
    expect(await seqs('after=2&limit=2')).toEqual({ seqs: [3, 4], hasMore: false });
    // The oldest is there in any case: older ones are asked for from it on.
    const words = `${hashOf(5)},${hashOf(8)}`;
    expect(await seqs(`after=1&about=${words}`)).toEqual({ seqs: [2, 3], hasMore: false });
  });

  it.each([INITIATOR, 'channel:x:1', 'toString', ''])('is not there: %s', async (id) => {
    const { status, body } = await actor(id, { steps: [step(2, { kind: 'stop', state: 'paid' })] });
    expect(status).toBe(404);
    expect(body).toEqual({ errors: expect.stringContaining('no such actor') });
  });
});

describe('the proofs of a channel', () => {
  const moved = withEnds(openChannel(), { own: { transferred: 40n, nonce: 3n } });
  const given: Given = {
    ...living({ [CHANNEL]: moved, [INITIATOR]: payment }),
    signedSteps: (_, side, before, limit) =>
      [3n, 2n, 1n]
        .filter((nonce) => side === 'own' && (before === null || nonce < before))
        .slice(0, limit)
        .map((nonce) => ({
          nonce,
          transferredAmount: nonce * 10n,
          lockedAmount: 0n,
          locksroot: hashOf(1),
        })),
  };
  const path = `actors/${encodeURIComponent(CHANNEL)}/proofs`;

  it('say what each side would get with each of them, newest first', async () => {
    const { body } = await ask(`${path}?side=own`, given);
    expect(body).toMatchObject({
      hasMore: false,
      proofs: [
        { side: 'own', nonce: 3n, payout: { own: 70n, partner: 130n } },
        { nonce: 2n, transferredAmount: 20n, payout: { own: 80n, partner: 120n } },
        { nonce: 1n, payout: { own: 90n, partner: 110n } },
      ],
    });
    expect((await ask(`${path}?side=partner`, given)).body).toEqual({ proofs: [], hasMore: false });
  });

  it('come in pages', async () => {
    const { body } = await ask(`${path}?side=own&before=3&limit=1`, given);
    expect(body).toMatchObject({ proofs: [{ nonce: 2n }], hasMore: true });
  });

  it.each(['side=mine', 'before=x', 'limit=501', 'limit=-1'])(
    'are refused for %s',
    async (query) => {
      expect((await ask(`${path}?${query}`, given)).status).toBe(400);
    },
  );

  it('are there for channels alone', async () => {
    expect((await ask(`actors/${INITIATOR}/proofs`, given)).status).toBe(404);
    expect((await ask('actors/channel:x:9/proofs', given)).status).toBe(404);
  });
});
