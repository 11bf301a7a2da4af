import { describe, expect, it } from 'vitest';
import { tokenActorId } from '../../../machines/base/actor-ids.ts';
import { engine, ignored, onDisk } from '../../support/engine.ts';
import { NETWORK, position, TOKEN } from '../../support/makers.ts';
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
const spawned = { to: 'node', event: created };

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

  it('is written 20 times of a block at most, though each had its answer', () => {
    const node = onDisk();
    for (let n = 0; n < 30; n++) node.turn([refused]);
    node.turn([spawned]);
    node.flush();
    expect(node.answers).toHaveLength(30);
    const refusals = node.rows().filter(({ event }) => event.includes('cmd.pay'));
    // Another step that changed nothing came before them.
    expect(refusals).toHaveLength(19);
  });
});
