import { describe, expect, it } from 'vitest';
import type { SnapshotFrom } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { nodeMachine } from '../../machines/node.ts';
import { tokenNetworkMachine } from '../../machines/token-network.ts';
import { encode } from '../../src/store/codec.ts';
import { NOW, OWN, STRANGER, txDone, txFailed } from '../support/makers.ts';
import {
  channelOpened,
  command,
  NETWORK_ACTOR,
  node,
  tokenNetwork,
  tokenNetworkCreated,
} from '../support/payment-makers.ts';
import { effectsOf, type Played } from '../support/played.ts';
import { restingStates, restoredStep, walk } from './paths.ts';

type Network = SnapshotFrom<typeof tokenNetworkMachine>;

describe('the chart of a token network', () => {
  const start = tokenNetwork({ tokenNetwork: null, requestId: 'first' });
  const commands = [
    command.registerToken(),
    command.open(),
    command.open({ partner: STRANGER, requestId: 'other' }),
    command.open({ partner: OWN, requestId: 'wrong' }),
  ];
  const events = ({ context }: Network) => [
    ...commands,
    ...(context.tokenNetwork === null ? [tokenNetworkCreated] : [channelOpened()]),
    txFailed(`register:${context.id}:${context.jobs}`),
    ...context.openings.flatMap(({ key }) => [txDone(key), txFailed(key)]),
  ];
  /** Without the counter of jobs. */
  const keyOf = ({ value, context }: Network) => {
    const { openings, requestId, tokenNetwork } = context;
    const open = openings.map(({ partner, channel }) => [partner, channel]).sort();
    return encode([value, requestId, tokenNetwork, open]);
  };
  const found = getShortestPaths(tokenNetworkMachine, {
    fromState: start.snapshot,
    events,
    serializeState: keyOf,
    serializeEvent: encode,
  });
  const { paths, steps } = walk(start, found, events);
  const waitingIn = ({ context: { openings, requestId } }: Network) => [
    requestId,
    ...openings.map((opening) => opening.requestId),
  ];

  it('has no state that cannot be reached', () => {
    const reached = new Set(paths.map(({ end }) => end.value));
    expect([...reached].sort()).toEqual(restingStates(tokenNetworkMachine));
  });

  it('answers every command in every state', () => {
    const asked = steps.flatMap(({ before, event, after }) =>
      'requestId' in event ? [{ before, requestId: event.requestId, after }] : [],
    );
    expect(new Set(asked.map(({ before }) => before.value)).size).toBe(3);
    for (const { before, requestId, after } of asked) {
      const isNew = !waitingIn(before).includes(requestId);
      const isKept = isNew && waitingIn(after.snapshot).includes(requestId);
      expect(repliesTo(requestId, after) + Number(isKept)).toBe(1);
    }
  });

  it('answers whoever waits, once', () => {
    for (const { before, after } of steps) {
      const left = waitingIn(after.snapshot);
      for (const waits of waitingIn(before))
        if (waits !== null && !left.includes(waits)) expect(repliesTo(waits, after)).toBe(1);
    }
  });

  it('knows its network for good', () => {
    for (const { before, after } of steps)
      if (before.context.tokenNetwork !== null)
        expect(after.snapshot.context.tokenNetwork).toBe(before.context.tokenNetwork);
  });

  it('goes on from what was stored, with every event in every state', () => {
    for (const { before, event, after } of steps) {
      const { value, context } = after.snapshot;
      expect(restoredStep(NETWORK_ACTOR, before, event)).toEqual({
        state: { value, context },
        effects: after.effects,
      });
    }
  });
});

describe('the chart of the node', () => {
  const start = node();
  const told = (['told.caughtUp', 'told.fellBehind', 'told.stop'] as const).map((type) => ({
    type,
    nowBlock: NOW,
  }));
  const events = () => [...told, command.pay(), command.registerToken(), tokenNetworkCreated];
  const found = getShortestPaths(nodeMachine, {
    fromState: start.snapshot,
    events: events(),
    serializeState: ({ value, context }) => encode([value, context]),
    serializeEvent: encode,
  });
  const { paths, steps } = walk(start, found, events);

  it('has no state that cannot be reached', () => {
    const reached = new Set(paths.map(({ end }) => end.value));
    expect([...reached].sort()).toEqual(restingStates(nodeMachine));
  });

  it('answers every command in every state, or gives it to the actor that will', () => {
    const asked = steps.flatMap(({ before, event, after }) =>
      'requestId' in event ? [{ before, requestId: event.requestId, after }] : [],
    );
    expect(new Set(asked.map(({ before }) => before.value)).size).toBe(3);
    for (const { requestId, after } of asked) {
      const handed = [
        ...effectsOf(after, 'spawn.initiator').map(({ input }) => input.id),
        ...effectsOf(after, 'spawn.tokenNetwork').map(({ input }) => input.requestId),
        ...effectsOf(after, 'tell').map(({ event }) => event['requestId']),
      ];
      const taken = handed.filter((id) => id === requestId).length;
      expect(repliesTo(requestId, after) + taken).toBe(1);
    }
  });

  it('never forgets a token', () => {
    for (const { before, after } of steps)
      expect(after.snapshot.context.tokens).toEqual(
        expect.arrayContaining([...before.context.tokens]),
      );
  });

  it('goes on from what was stored, with every event in every state', () => {
    for (const { before, event, after } of steps) {
      if (!('nowBlock' in event)) continue;
      const { value, context } = after.snapshot;
      expect(restoredStep('node', before, event)).toEqual({
        state: { value, context },
        effects: after.effects,
      });
    }
  });
});

function repliesTo(
  requestId: string,
  state: Pick<Played<typeof tokenNetworkMachine>, 'effects'>,
): number {
  const replies = [...effectsOf(state, 'reply.ok'), ...effectsOf(state, 'reply.error')];
  return replies.filter((reply) => reply.requestId === requestId).length;
}
