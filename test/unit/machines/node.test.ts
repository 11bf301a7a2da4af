import { describe, expect, it } from 'vitest';
import {
  hashOf,
  NETWORK,
  NOW,
  OWN,
  PARTNER,
  TOKEN,
  txDone,
  txFailed,
} from '../../support/makers.ts';
import {
  command,
  NETWORK_ACTOR,
  node,
  orderOf,
  tokenNetworkCreated,
} from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';
import { ordered } from '../../support/user-deposit-makers.ts';

const told = (type: 'actor.caughtUp' | 'actor.fellBehind' | 'actor.stop') => ({
  type,
  nowBlock: NOW,
});
const ready = node().tell(told('actor.caughtUp'));

describe('the node', () => {
  it('serves when it has caught up with the chain, and no longer when it falls behind', () => {
    expect(node().snapshot.value).toBe('syncing');
    expect(ready.snapshot.value).toBe('ready');
    expect(ready.tell(told('actor.fellBehind')).snapshot.value).toBe('syncing');
  });

  it('begins anew behind the chain when a new process takes over a node that was stopped', () => {
    const stopping = ready.tell(told('actor.stop'));
    expect(stopping.snapshot.value).toBe('stopping');
    expect(stopping.tell(told('actor.caughtUp')).snapshot.value).toBe('stopping');
    expect(stopping.tell(told('actor.fellBehind')).snapshot.value).toBe('syncing');
  });

  it.each([
    ['syncing', node(), 'syncing'],
    ['stopping', ready.tell(told('actor.stop')), 'shutting_down'],
  ])('refuses commands while it is %s', (_, state, code) => {
    const commands = [command.pay(), command.registerToken(), command.mint()];
    for (const asked of [...commands, ordered('deposit', 61n)])
      expect(state.tell(asked).effects).toEqual([
        { type: 'reply.error', requestId: asked.requestId, code, detail: '' },
      ]);
  });

  it('spawns a payment that is asked for', () => {
    expect(ready.tell(command.pay()).effects).toMatchObject([
      {
        type: 'spawn.initiator',
        id: `initiator:${hashOf(1)}`,
        input: { own: OWN, order: orderOf() },
      },
    ]);
  });

  it('spawns a token that is to be registered, once', () => {
    const first = ready.tell(command.registerToken('first'));
    expect(effectOf(first, 'spawn.tokenNetwork')).toMatchObject({
      id: NETWORK_ACTOR,
      input: { token: TOKEN, tokenNetwork: null, requestId: 'first' },
    });
    expect(first.tell(command.registerToken('second')).effects).toMatchObject([
      {
        type: 'notify',
        to: NETWORK_ACTOR,
        event: { type: 'cmd.registerToken', requestId: 'second', token: TOKEN },
      },
    ]);
  });

  it('knows a token network from the chain, also while it catches up', () => {
    const seen = node().tell(tokenNetworkCreated);
    expect(effectOf(seen, 'spawn.tokenNetwork').input).toMatchObject({
      token: TOKEN,
      tokenNetwork: NETWORK,
      requestId: null,
    });
    expect(seen.snapshot.context.tokens).toEqual([TOKEN]);
  });

  it('hands the creation of a token network to the actor that waits for it', () => {
    const waiting = ready.tell(command.registerToken());
    expect(waiting.tell(tokenNetworkCreated).effects).toMatchObject([
      { type: 'notify', to: NETWORK_ACTOR, event: { type: 'chain.tokenNetworkCreated' } },
    ]);
  });

  it('gives every order for the user deposit to its actor, which is spawned once', () => {
    const order = ordered('deposit', 61n);
    const { nowBlock, ...event } = order;
    expect(nowBlock).toBe(NOW);
    expect(ready.tell(order).effects).toEqual([
      { type: 'spawn.userDeposit', id: 'userDeposit', input: { id: 'userDeposit' } },
      { type: 'notify', to: 'userDeposit', event },
    ]);
  });

  it('mints by a transaction whose end is answered in every state', () => {
    const minting = ready.tell(command.mint('request:7'));
    const { key, ...tx } = effectOf(minting, 'tx.mint');
    expect(tx).toEqual({
      type: 'tx.mint',
      from: 'node',
      deadlineBlock: null,
      token: TOKEN,
      to: PARTNER,
      value: 5n,
      method: 'mintFor',
    });
    const done = txDone(key);
    const { transactionHash } = done;
    for (const state of [node(), minting, minting.tell(told('actor.stop'))]) {
      expect(state.tell(done).effects).toEqual([
        {
          type: 'reply.ok',
          requestId: 'request:7',
          value: { kind: 'transaction', transactionHash },
        },
      ]);
    }
  });

  it.each([
    ['transaction_failed', 'mint_failed'],
    ['insufficient_gas', 'insufficient_gas'],
    ['chain_unavailable', 'chain_unavailable'],
  ] as const)('answers a mint that ends with %s with %s', (code, answered) => {
    const minting = ready.tell(command.mint());
    const { key } = effectOf(minting, 'tx.mint');
    expect(minting.tell(txFailed(key, code)).effects).toEqual([
      { type: 'reply.error', requestId: 'mint', code: answered, detail: 'why' },
    ]);
  });
});
