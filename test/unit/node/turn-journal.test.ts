import { describe, expect, it } from 'vitest';
import { tokenActorId } from '../../../machines/node/chart.ts';
import { createActors } from '../../../src/node/runtime/actors.ts';
import { createOutbox } from '../../../src/node/runtime/outbox.ts';
import { createEngine } from '../../../src/node/runtime/turn.ts';
import { noFault } from '../../../src/protocol/fault.ts';
import type { Batch, JournalRow } from '../../../src/store/batch.ts';
import { sync } from '../../support/channel-makers.ts';
import { NETWORK, OWN, position, TOKEN } from '../../support/makers.ts';
import { orderOf } from '../../support/payment-makers.ts';

const created = {
  type: 'chain.tokenNetworkCreated',
  token: TOKEN,
  tokenNetwork: NETWORK,
  at: position(),
} as const;
const refused = {
  to: 'node',
  event: { type: 'cmd.pay', requestId: 'r', id: 'r', payment: orderOf() } as const,
};
const ignored = { to: 'node', event: sync() };
const spawned = { to: 'node', event: created };

/** A new node that lags behind the chain, and what it writes and answers. */
function engine() {
  const batches: Batch[] = [];
  const answers: string[] = [];
  const settings = { confirmations: 1n, defaultRevealTimeout: 50n, minRevealTimeout: 1n };
  const actors = createActors({
    node: { chainId: 1n, own: OWN, ...settings },
    rows: [],
    onEffect: (from, effect) => turns.collect(from, effect),
  });
  const turns = createEngine({
    actors,
    outbox: createOutbox({ rows: [], drawId: () => 1n, now: () => 0 }),
    commit: (batch) => void batches.push(batch),
    store: { hasEnded: () => false, isSecrethashUsed: () => false },
    resolve: (name) => name,
    perform: (afterwards) => void answers.push(...afterwards.map(({ type }) => type)),
    judged: ({ event }) => event,
    nowBlock: () => 5n,
    now: () => 7,
    journalLimit: 1_000,
    onChanged() {},
    onSpawned() {},
    onEnded() {},
    onFatal: (error) => {
      throw error;
    },
    fault: noFault,
  });
  const rows = (): JournalRow[] => batches.flatMap(({ journal }) => journal);
  return { ...turns, batches, answers, rows };
}

/** One whose spawn is on disk. */
function onDisk() {
  const node = engine();
  node.turn([ignored]);
  node.flush();
  node.batches.length = 0;
  return node;
}

describe('the journal of a turn', () => {
  it('begins with the spawn of the node, and tells what each thing led to', () => {
    const node = engine();
    node.turn([spawned]);
    node.flush();
    const network = tokenActorId(TOKEN);
    expect(node.rows()).toMatchObject([
      { kind: 'spawn', actor: 'node', cause: 'outside', causedBy: null },
      { kind: 'event', actor: 'node', cause: 'outside', causedBy: null },
      { kind: 'spawn', actor: network, cause: 'node', causedBy: 1, state: 'registered.idle' },
    ]);
  });

  it('is in the commit of what it tells', () => {
    const node = onDisk();
    node.turn([spawned]);
    node.flush();
    expect(node.batches).toHaveLength(1);
    expect(node.batches[0]).toMatchObject({
      actors: [{ id: 'node' }, { id: tokenActorId(TOKEN) }],
      journal: [{ kind: 'event' }, { kind: 'spawn' }],
    });
  });
});

describe('a step that changed nothing', () => {
  it('waits for the next commit that has to be', () => {
    const node = onDisk();
    node.turn([ignored]);
    node.flush();
    expect(node.batches).toEqual([]);
    node.turn([spawned]);
    node.flush();
    expect(node.rows().map(({ event }) => event.slice(0, 20))).toEqual([
      '{"type":"msg.sync","',
      '{"type":"chain.token',
      expect.anything(),
    ]);
  });

  it('has its answer at once all the same', () => {
    const node = onDisk();
    node.turn([refused]);
    node.flush();
    expect(node.answers).toEqual(['reply.error']);
    expect(node.rows()).toEqual([]);
    node.turn([spawned]);
    node.flush();
    expect(node.rows()[0]?.event).toContain('{"type":"cmd.pay","requestId":"r"');
  });
});
