import { describe, expect, it, vi } from 'vitest';
import type { Effect } from '../../../machines/effects.ts';
import { nodeMachine } from '../../../machines/node/chart.ts';
import { createActors } from '../../../src/node/runtime/actors/actors.ts';
import { rowOf } from '../../../src/node/runtime/actors/kinds.ts';
import { keeper } from '../../support/keeper-makers.ts';
import { secretRevealed, stamped } from '../../support/makers.ts';
import { mediator } from '../../support/mediation-makers.ts';
import { channelClosed, orderOf } from '../../support/payment-makers.ts';

const OWN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as const;
const TOKEN = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' as const;
const NETWORK = '0x90F79bf6EB2c4f870365E785982E1f101E93b906' as const;
const at = { block: 3n, logIndex: 0, transactionHash: `0x${'11'.repeat(32)}` } as const;
const created = {
  type: 'chain.tokenNetworkCreated',
  token: TOKEN,
  tokenNetwork: NETWORK,
  at,
} as const;
const node = {
  chainId: 1n,
  own: OWN,
  confirmations: 1n,
  defaultRevealTimeout: 50n,
  minRevealTimeout: 1n,
};

function system(rows: Parameters<typeof createActors>[0]['rows'] = []) {
  const effects: Effect[] = [];
  const actors = createActors({ node, rows, onEffect: (_, effect) => effects.push(effect) });
  return { actors, effects };
}

describe('the actor system', () => {
  it('asks for the spawn of a token network when one appears on chain', () => {
    const { actors, effects } = system();
    expect(actors.send('node', { ...created, nowBlock: 3n })).toMatchObject({
      before: { context: { tokens: [] } },
      after: { context: { tokens: [TOKEN] } },
      changed: true,
    });
    expect(effects).toMatchObject([
      { type: 'spawn.tokenNetwork', id: `tokenNetwork:${TOKEN}`, input: { tokenNetwork: NETWORK } },
    ]);
  });

  it('retires an actor that has ended, once', () => {
    const { actors, effects } = system();
    actors.spawn('initiator:0x01', {
      id: 'initiator:0x01',
      own: OWN,
      confirmations: 1n,
      order: orderOf(),
    });
    effects.length = 0;
    const refused = stamped({
      type: 'actor.lockRefused',
      code: 'too_many_locks',
      detail: '',
    } as const);
    actors.send('initiator:0x01', refused);
    expect(effects.at(-1)).toEqual({ type: 'retire', id: 'initiator:0x01' });
    actors.send('initiator:0x01', refused);
    expect(effects.filter(({ type }) => type === 'retire')).toHaveLength(1);
  });

  it('names no event after one payment: machines keep something for each name for ever', () => {
    const { actors } = system();
    const heard = vi.spyOn(nodeMachine, 'transition');
    for (const id of ['initiator:0x01', 'initiator:0x02']) {
      actors.spawn(id, { id, own: OWN, confirmations: 1n, order: orderOf() });
      const refused = stamped({ type: 'actor.lockRefused', code: 'no_route', detail: '' } as const);
      actors.send(id, refused);
    }
    const names = heard.mock.calls.map(([, { type }]) => type);
    heard.mockRestore();
    expect(new Set(names)).toEqual(new Set(['xstate.done.actor.initiator']));
  });

  it('goes on from stored rows', () => {
    const { actors } = system();
    actors.send('node', { ...created, nowBlock: 3n });
    actors.send('node', { type: 'actor.caughtUp', nowBlock: 3n });
    const row = actors.rowOf('node');
    const again = system(row === null ? [] : [row]);
    expect(again.actors.stateOf('node')).toEqual({
      kind: 'node',
      value: 'ready',
      context: { ...node, tokens: [TOKEN], wakeBlock: null },
    });
  });

  it('throws when a machine meets what cannot be', () => {
    const { actors } = system();
    actors.spawn(`tokenNetwork:${TOKEN}`, { token: TOKEN, tokenNetwork: NETWORK });
    // A program that does not compile could send this.
    const wrong = JSON.parse(`{"type":"cmd.open","partner":"${NETWORK}"}`);
    const id = `tokenNetwork:${TOKEN}`;
    expect(() => actors.send(id, { ...wrong, nowBlock: 3n })).toThrow(
      expect.objectContaining({ message: `actor ${id} failed`, cause: expect.any(Error) }),
    );
  });
});

describe('an actor without events since the start', () => {
  const held = keeper().snapshot;
  const row = rowOf(held.context.id, held);

  it('is there, and is read as it was stored', () => {
    const { actors } = system([row]);
    expect(actors.ids().sort()).toEqual([row.id, 'node']);
    expect([row.id, 'node', 'keeper:2'].map(actors.has)).toEqual([true, true, false]);
    expect(actors.stateOf(row.id)).toMatchObject({ kind: 'keeper', context: held.context });
    expect(actors.rowOf(row.id)).toBe(row);
  });

  it('takes its first event, and others after it', () => {
    const { actors } = system([row]);
    const sent = actors.send(row.id, secretRevealed(3n));
    expect(sent).toMatchObject({ before: { value: 'holding' }, changed: true });
    expect(actors.stateOf(row.id)?.value).not.toBe('holding');
    expect(actors.ids()).toHaveLength(2);
  });
});

describe('what an event changed', () => {
  it('is nothing when nobody is there to take it', () => {
    const { actors } = system();
    expect(actors.send('keeper:2', { type: 'actor.caughtUp', nowBlock: 3n })).toBeNull();
    expect([actors.stateOf('keeper:2'), actors.rowOf('keeper:2')]).toEqual([null, null]);
  });

  it('may be the state alone', () => {
    const { actors } = system();
    const caughtUp = { type: 'actor.caughtUp', nowBlock: 3n } as const;
    expect(actors.send('node', caughtUp)?.changed).toBe(true);
    expect(actors.send('node', caughtUp)?.changed).toBe(false);
  });

  it('is nothing when an actor of several parts ignores the event', () => {
    const passing = mediator().snapshot;
    const { id, payer } = passing.context;
    const { actors } = system([rowOf(id, passing)]);
    const closed = channelClosed(payer.channel);
    expect(actors.send(id, closed)?.changed).toBe(true);
    expect(actors.send(id, closed)?.changed).toBe(false);
  });
});
