import { describe, expect, it } from 'vitest';
import type { SnapshotFrom } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { nodeMachine } from '../../machines/node/chart.ts';
import { stateText } from '../../machines/tags.ts';
import { tokenNetworkMachine } from '../../machines/token-network/chart.ts';

import { encode } from '../../src/store/base/codec.ts';
import {
  channelSettled,
  closeAnswer,
  join,
  leave,
  partnerDeposit,
} from '../support/connection-makers.ts';
import { factOf } from '../support/fact.ts';
import { blockReached, CHANNEL, NOW, OWN, txDone, txFailed } from '../support/makers.ts';
import { once } from '../support/once.ts';
import {
  channelOpened,
  command,
  NETWORK_ACTOR,
  node,
  tokenNetwork,
  tokenNetworkCreated,
} from '../support/payment-makers.ts';
import { effectsOf, type Played } from '../support/played.ts';
import { ordered } from '../support/user-deposit-makers.ts';
import { restingStates, restoredStep, walk } from './paths.ts';

type Network = SnapshotFrom<typeof tokenNetworkMachine>;

describe('the chart of a token network', () => {
  const start = tokenNetwork({ tokenNetwork: null, requestId: 'first' });
  const waitingIn = ({
    context: { openings, requestId, join: joining, leave: leaving },
  }: Network) => [
    requestId,
    ...openings.map((opening) => opening.requestId),
    ...(joining?.requestIds ?? []),
    ...(leaving?.requestIds ?? []),
  ];
  const commands = [
    command.registerToken(),
    command.open(),
    command.open({ partner: OWN, requestId: 'wrong' }),
    join(),
    join({ requestId: 'joinToo', candidates: [] }),
    join({ requestId: 'poor', limits: { ownTokens: 1n } }),
    leave([], 'leave'),
    leave([CHANNEL], 'leaveToo'),
  ];
  /** A caller asks once, and waits. */
  const isNew = (state: Network, event: object) =>
    !('requestId' in event) || !waitingIn(state).some((waits) => waits === event.requestId);
  const ended = ({ openings, matches }: Network['context']) =>
    [...openings, ...matches].flatMap(({ key }) => [txDone(key), txFailed(key)]);
  const events = (state: Network) => [
    ...commands.filter((event) => isNew(state, event)),
    ...(state.context.tokenNetwork === null ? [tokenNetworkCreated] : [channelOpened()]),
    txFailed(`register:${state.context.id}:${state.context.jobs}`),
    ...ended(state.context),
    partnerDeposit(),
    ...([null, 'busy', 'insufficient_gas'] as const).map((code) => closeAnswer(code)),
    channelSettled(),
    blockReached(NOW + 5n),
  ];
  /** Without the counter of jobs, and in no order. */
  const keyOf = ({ value, context }: Network) => {
    const { openings, connection, matches, join: joining, leave: leaving } = context;
    const { requestId, tokenNetwork, wakeBlock } = context;
    const open = openings.map((one) => [one.partner, one.requestId, one.channel, one.offer]);
    return encode([
      value,
      requestId,
      tokenNetwork,
      wakeBlock,
      open.map(encode).sort(),
      connection === null ? null : connection.own.length > 0,
      matches.map(({ number, offer }) => [number === connection?.number, offer]),
      joining === null ? null : [joining.requestIds.toSorted(), joining.opened, joining.failure],
      leaving === null ? null : { ...leaving, requestIds: leaving.requestIds.toSorted() },
    ]);
  };
  const walked = once(() => {
    const found = getShortestPaths(tokenNetworkMachine, {
      fromState: start.snapshot,
      events,
      serializeState: keyOf,
      serializeEvent: encode,
    });
    return walk(start, found, events);
  });

  it('has no state that cannot be reached', () => {
    const reached = new Set(walked().paths.map(({ end }) => stateText(end.value)));
    expect([...reached].sort()).toEqual(restingStates(tokenNetworkMachine));
    expect(walked().paths.length).toBeGreaterThan(500);
  });

  it('answers every command in every state', () => {
    const asked = walked().steps.flatMap(({ before, event, after }) =>
      'requestId' in event ? [{ before, requestId: event.requestId, after }] : [],
    );
    const states = new Set(asked.map(({ before }) => stateText(before.value)));
    expect([...states].sort()).toEqual(restingStates(tokenNetworkMachine));
    for (const { before, requestId, after } of asked) {
      const isNew = !waitingIn(before).includes(requestId);
      const isKept = isNew && waitingIn(after.snapshot).includes(requestId);
      expect(repliesTo(requestId, after) + Number(isKept)).toBe(1);
    }
  });

  it('answers each waiting caller once', () => {
    for (const { before, after } of walked().steps) {
      const left = waitingIn(after.snapshot);
      for (const waits of waitingIn(before))
        if (waits !== null && !left.includes(waits)) expect(repliesTo(waits, after)).toBe(1);
    }
  });

  it('never counts more funds of a join than before', () => {
    for (const { before, event, after } of walked().steps) {
      const [had, has] = [before.context, after.snapshot.context].map(keptBy);
      if (event.type === 'cmd.join' || had === undefined || has === undefined) continue;
      expect(has).toBeLessThanOrEqual(had);
    }
  });

  it('answers a leave only when no opening is under way and no channel is left to wait for', () => {
    for (const { before, event, after } of walked().steps) {
      const isAnswered = effectsOf(after, 'reply.ok').some(({ value }) => value.kind === 'left');
      if (!isAnswered) continue;
      expect(after.snapshot.context.openings).toEqual([]);
      const { leave: leaving } = before.context;
      const waited = leaving?.channels.map(({ channel }) => channel) ?? [];
      expect(waited).toEqual(event.type === 'chain.tx' || waited.length === 0 ? [] : [CHANNEL]);
    }
  });

  it('never forgets its token network once it knows it', () => {
    for (const { before, after } of walked().steps)
      if (before.context.tokenNetwork !== null)
        expect(after.snapshot.context.tokenNetwork).toBe(before.context.tokenNetwork);
  });

  it('behaves the same after it was stored and read again, for every event in every state', () => {
    const tried = new Set<string>();
    for (const { before, event, after } of walked().steps) {
      const { join: joining, leave: leaving, matches, openings } = before.context;
      const isBusy = [joining, leaving, matches[0], openings[0]].map((one) => one != null);
      const pair = `${stateText(before.value)} ${isBusy} ${event.type}`;
      if (tried.has(pair)) continue;
      tried.add(pair);
      const { value, context } = after.snapshot;
      expect(restoredStep(NETWORK_ACTOR, before, event)).toEqual({
        state: { value, context },
        effects: after.effects,
      });
    }
    expect(tried.size).toBeGreaterThan(100);
  });
});

describe('the chart of the node', () => {
  const start = node();
  const told = (['actor.caughtUp', 'actor.fellBehind', 'actor.stop'] as const).map((type) => ({
    type,
    nowBlock: NOW,
  }));
  const events = () => [
    ...told,
    command.pay(),
    command.registerToken(),
    command.mint(),
    ordered('deposit', 61n),
    txDone('mint:somebody'),
    tokenNetworkCreated,
  ];
  const walked = once(() => {
    const found = getShortestPaths(nodeMachine, {
      fromState: start.snapshot,
      events: events(),
      serializeState: ({ value, context }) => encode([value, context]),
      serializeEvent: encode,
    });
    return walk(start, found, events);
  });

  it('has no state that cannot be reached', () => {
    const reached = new Set(walked().paths.map(({ end }) => end.value));
    expect([...reached].sort()).toEqual(restingStates(nodeMachine));
  });

  it('answers every command in every state, or hands it to the actor that answers it', () => {
    const asked = walked().steps.flatMap(({ before, event, after }) =>
      'requestId' in event ? [{ before, requestId: event.requestId, after }] : [],
    );
    expect(new Set(asked.map(({ before }) => before.value)).size).toBe(3);
    for (const { requestId, after } of asked) {
      const handed = [
        ...effectsOf(after, 'spawn.initiator').map(({ input }) => input.id),
        ...effectsOf(after, 'spawn.tokenNetwork').map(({ input }) => input.requestId),
        ...effectsOf(after, 'notify').map(({ event }) => factOf(event, 'requestId')),
        ...effectsOf(after, 'tx.mint').map(({ key }) => key.replace('mint:', '')),
      ];
      const taken = handed.filter((id) => id === requestId).length;
      expect(repliesTo(requestId, after) + taken).toBe(1);
    }
  });

  it('never forgets a token', () => {
    for (const { before, after } of walked().steps)
      expect(after.snapshot.context.tokens).toEqual(
        expect.arrayContaining([...before.context.tokens]),
      );
  });

  it('behaves the same after it was stored and read again, for every event in every state', () => {
    for (const { before, event, after } of walked().steps) {
      if (!('nowBlock' in event)) continue;
      const { value, context } = after.snapshot;
      expect(restoredStep('node', before, event)).toEqual({
        state: { value, context },
        effects: after.effects,
      });
    }
  });
});

/** Of the funds of a join: what is free, or promised to something on its way. Undefined: not joined. */
function keptBy({ connection, matches, openings }: Network['context']): bigint | undefined {
  if (connection === null) return undefined;
  const own = matches.filter(({ number }) => number === connection.number);
  const joining = openings.filter(({ requestId }) => requestId === null);
  const matching = own.reduce((sum, { added }) => sum + added, connection.free);
  return joining.reduce((sum, { totalDeposit }) => sum + totalDeposit, matching);
}

function repliesTo(
  requestId: string,
  state: Pick<Played<typeof tokenNetworkMachine>, 'effects'>,
): number {
  const replies = [...effectsOf(state, 'reply.ok'), ...effectsOf(state, 'reply.error')];
  return replies.filter((reply) => reply.requestId === requestId).length;
}
