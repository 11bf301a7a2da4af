import { describe, expect, it, vi } from 'vitest';
import type { Effect } from '../../../machines/effects.ts';
import { nodeMachine } from '../../../machines/node/chart.ts';
import { createActors } from '../../../src/node/runtime/actors.ts';
import { stamped } from '../../support/makers.ts';
import { orderOf } from '../../support/payment-makers.ts';

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

  it('tells the node of the end of an actor that it did not spawn itself', () => {
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
    expect(new Set(names)).toEqual(new Set(['actor.ended', 'xstate.done.actor.initiator']));
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
    expect(() => actors.send(`tokenNetwork:${TOKEN}`, { ...wrong, nowBlock: 3n })).toThrow(
      'failed',
    );
  });
});
