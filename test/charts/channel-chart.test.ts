import { describe, expect, it } from 'vitest';
import type { SnapshotFrom, StateValue } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { channelMachine } from '../../machines/channel/chart.ts';
import { stateText } from '../../machines/tags.ts';

import { balanceHash } from '../../src/protocol/channel/balance-proof.ts';
import { assertSound, proofAmounts } from '../../src/protocol/channel/channel-end.ts';
import { encode } from '../../src/store/base/codec.ts';
import {
  addLock,
  expireLock,
  inOneBatch,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
  SIGN,
  secretRegistered,
  sync,
  unlock,
} from '../support/channel-makers.ts';
import {
  at,
  blockReached,
  CHANNEL,
  CONFIRMATIONS,
  closed,
  deposited,
  EXPIRATION,
  NOW,
  OWN,
  PARTNER,
  proofUpdated,
  SETTLE_TIMEOUT,
  settled,
  settledProof,
  txDone,
  txFailed,
  unlocked,
  withdrawn,
} from '../support/makers.ts';
import { once } from '../support/once.ts';
import { command } from '../support/payment-makers.ts';
import { effectOf, effectsOf } from '../support/played.ts';
import {
  withdrawConfirmation,
  withdrawExpired,
  withdrawRequest,
} from '../support/withdraw-makers.ts';
import { restingStates, restoredStep, type Step, walk } from './paths.ts';

type State = SnapshotFrom<typeof channelMachine>;
type ChannelStep = Step<typeof channelMachine>;

const FIRST_SETTLE = NOW + SETTLE_TIMEOUT + 1n;
const theirs = partnersChannel({}).tell(partnersLock({ n: 2 }));
const theirNewest = proofAmounts(theirs.snapshot.context.ownEnd);
const ourLocked = proofAmounts(openChannel().tell(addLock()).snapshot.context.ownEnd);
/** Each side has one lock of 10; the secret of the partner's was registered in time. */
const roots = {
  ownRoot: ourLocked.locksroot,
  partnerRoot: theirNewest.locksroot,
  own: settledProof({ locked: 10n }),
  partner: settledProof({ locked: 10n, claimable: 10n }),
};

const commands = [
  command.close(),
  command.withdraw(0n),
  command.deposit(100n),
  command.deposit(99n),
  command.deposit(150n),
  command.setRevealTimeout(10n),
  command.setRevealTimeout(30n),
];

/** The commands for the channel, and every event that the chain may bring at any time. */
function eventsIn({ context }: State) {
  const { dispute, deposit, id, jobs, unlocks } = context;
  const job = (kind: string) => `${kind}:${id}:${jobs}`;
  const keys = [deposit?.key ?? 'none', ...['close', 'update', 'settle', 'unlock-own'].map(job)];
  return [
    ...commands,
    ...[sync({ acceptedNonce: 1n, answer: true }), sync({ acceptedNonce: 9n })],
    { type: 'actor.resynchronise', nowBlock: NOW } as const,
    deposited(OWN, 100n),
    ...keys.flatMap((key) => [txFailed(key), ...(key === keys[0] ? [txDone(key)] : [])]),
    ...(dispute === null
      ? [closed(OWN), closed(PARTNER, { nonce: 1n, balanceHash: balanceHash(ourLocked) })]
      : [
          proofUpdated(dispute.closer, 1n, balanceHash(theirNewest)),
          ...(unlocks.length === 0
            ? [settled(roots), settled()]
            : [unlocked(OWN), unlocked(PARTNER)]),
          blockReached(FIRST_SETTLE - 1n),
          blockReached(FIRST_SETTLE),
        ]),
  ];
}

/** One lock of our own, one of the partner. */
function lockEvents(state: State) {
  const { ownEnd, partnerEnd, unsigned } = state.context;
  return [
    ...eventsIn(state),
    ...(ownEnd.nonce === 0n && unsigned === null ? [addLock()] : []),
    ...(unsigned === null ? [] : [SIGN]),
    unlock(),
    expireLock(),
    secretRegistered(2),
    ...(partnerEnd.nonce < 2n ? [received(theirs)] : []),
    received(theirs.tell(unlock(2))),
    at(EXPIRATION + CONFIRMATIONS, received(theirs.tell(expireLock(2)))),
  ];
}

/** Both sides withdraw 30, at most once each, and one side closes. */
function withdrawEvents({ context }: State) {
  const { id, jobs } = context;
  const late = EXPIRATION + CONFIRMATIONS;
  const { ownEnd, partnerEnd, dispute, withdraw, requests, consents } = context;
  const isOurs = requests.length > 0 && dispute === null;
  const isTheirs = consents.length > 0 && dispute === null;
  const mayAsk = requests.length === 0 || withdraw?.waiting.length === 1;
  const keys = [`close:${id}:${jobs}`, ...(withdraw?.job == null ? [] : [withdraw.job])];
  return [
    command.close(),
    command.withdraw(0n),
    ...keys.map((key) => txFailed(key)),
    ...(dispute === null ? [closed(PARTNER)] : [settled(), blockReached(FIRST_SETTLE)]),
    sync({ acceptedNonce: 9n }),
    ...(mayAsk ? [command.withdraw(30n)] : []),
    ...(withdraw === null ? [] : [command.withdraw(31n)]),
    withdrawRequest(),
    withdrawConfirmation(),
    at(late, withdrawConfirmation()),
    at(late, withdrawExpired()),
    ...(isOurs && ownEnd.withdraws.length > 0 ? [withdrawn(OWN, 30n)] : []),
    ...(isTheirs && partnerEnd.withdraws.length > 0 ? [withdrawn(PARTNER, 30n)] : []),
    ...(dispute === null ? [blockReached(NOW + 1n), blockReached(late + CONFIRMATIONS)] : []),
  ];
}

/** Two states count as one when they differ only in what is counted, in the block to wake at, or in who has ordered a close. */
function keyOf({ value, context }: State): string {
  const { jobs: _, wakeBlock: __, deposit, closeRequest, partnerProof, ...rest } = context;
  const { nonce = 0n } = partnerProof ?? {};
  const { withdraw, requests, ownEnd, funded: ___, isOrdered: ____, ...others } = rest;
  const ours = [withdraw?.waiting.length ?? 0, withdraw?.job != null, withdraw?.failure != null];
  const asked = requests.map(({ isAnswered }) => isAnswered);
  return encode([
    value,
    others,
    ownEnd,
    ours,
    asked,
    deposit !== null,
    closeRequest !== null,
    nonce,
  ]);
}

const start = inOneBatch(openChannel());
/** Locks and withdraws apart, or there would be too many states; what they do to each other is the model's. */
function walkWith(
  possible: (state: State) => ReturnType<typeof lockEvents | typeof withdrawEvents>,
) {
  const events = (state: State) => (state.status === 'active' ? possible(state) : []);
  const found = getShortestPaths(channelMachine, {
    fromState: start.snapshot,
    events,
    serializeState: keyOf,
    serializeEvent: encode,
  });
  return walk(start, found, events);
}
const walked = once(() => {
  const withLocks = walkWith(lockEvents);
  const withWithdraws = walkWith(withdrawEvents);
  return {
    paths: [...withLocks.paths, ...withWithdraws.paths],
    steps: [...withLocks.steps, ...withWithdraws.steps],
  };
});
/** Every region of an open channel rests in a state of its own. */
const restsIn = (state: State) => dottedNames(state.value);
const textOf = (state: State) => stateText(state.value);
const isOnChainOnly = (state: State) =>
  ['closed', 'settling', 'claiming', 'gone'].includes(textOf(state));

const waitingIn = ({ context: { deposit, closeRequest, withdraw } }: State) => [
  ...(deposit === null ? [] : [deposit.requestId]),
  ...(closeRequest === null ? [] : [closeRequest]),
  ...(withdraw?.waiting ?? []),
];

/** The request ids of commands that are neither answered nor kept to be answered later. */
function unanswered({ before, event, after }: ChannelStep): string[] {
  if (!('requestId' in event)) return [];
  const { requestId } = event;
  const replies = [...effectsOf(after, 'reply.ok'), ...effectsOf(after, 'reply.error')];
  const isKept = waitingIn(after.snapshot).includes(requestId);
  const isNew = isKept && waitingIn(after.snapshot).length > waitingIn(before).length;
  const answers = replies.filter((reply) => reply.requestId === requestId).length;
  return answers + Number(isNew) === 1 ? [] : [`${event.type} in ${textOf(before)}: ${answers}`];
}

function dottedNames(value: StateValue): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value).flatMap(([name, inner]) =>
    inner === undefined ? [] : dottedNames(inner).map((rest) => `${name}.${rest}`),
  );
}

/** Whether the message is a consent that this side has signed before and now only repeats. */
const isGiven = ({ context }: State, message: object) =>
  'nonce' in message && context.consents.some(({ nonce }) => nonce === message.nonce);

describe('the chart of a channel', () => {
  it('has no state that cannot be reached', () => {
    const reached = new Set(walked().paths.flatMap(({ end }) => restsIn(end)));
    expect([...reached].sort()).toEqual(restingStates(channelMachine));
  });

  it('answers every command in every state', () => {
    const asked = walked().steps.filter(({ event }) => 'requestId' in event);
    const states = new Set(asked.flatMap(({ before }) => restsIn(before)));
    expect([...states, 'gone'].sort()).toEqual(restingStates(channelMachine));
    expect(new Set(asked.flatMap(unanswered))).toEqual(new Set());
  });

  it('never lends, loses or forgets an amount', () => {
    for (const { end } of walked().paths) assertSound(end.context.ownEnd, end.context.partnerEnd);
  });

  it('signs each nonce once, and sends every balance proof that it records', () => {
    for (const { before, after } of walked().steps) {
      const nonces = [before.context.ownEnd.nonce, after.snapshot.context.ownEnd.nonce];
      const kept = effectsOf(after, 'record.proof').filter(({ side }) => side === 'own');
      const sent = [...effectsOf(after, 'send.message'), ...effectsOf(after, 'send.consent')];
      const fresh = sent
        .map(({ message }) => message)
        .filter((message) => !isGiven(before, message));
      if (nonces[0] === nonces[1]) expect([kept, fresh]).toEqual([[], []]);
      else {
        const count = Number((nonces[1] ?? 0n) - (nonces[0] ?? 0n));
        const next = Array.from({ length: count }, (_, n) => {
          return { nonce: before.context.ownEnd.nonce + BigInt(n) + 1n };
        });
        expect(fresh).toMatchObject(next);
        expect(kept).toMatchObject(
          fresh.flatMap((message) =>
            'locksroot' in message ? [{ nonce: message.nonce, locksroot: message.locksroot }] : [],
          ),
        );
      }
    }
  });

  it('accepts each nonce of the partner once, and records every balance proof that it accepts', () => {
    for (const { before, after } of walked().steps) {
      const taken = after.snapshot.context.partnerEnd.nonce - before.context.partnerEnd.nonce;
      const kept = effectsOf(after, 'record.proof').filter(({ side }) => side === 'partner');
      expect(kept).toHaveLength(Number(taken));
    }
  });

  it('never lowers a transferred amount, its own or the partner’s', () => {
    for (const { before, after } of walked().steps) {
      const { ownEnd, partnerEnd } = after.snapshot.context;
      expect(ownEnd.transferred).toBeGreaterThanOrEqual(before.context.ownEnd.transferred);
      expect(partnerEnd.transferred).toBeGreaterThanOrEqual(before.context.partnerEnd.transferred);
    }
  });

  it('sends no message and changes no lock any more once it is closed on chain', () => {
    for (const { before, after } of walked().steps.filter((step) => isOnChainOnly(step.before))) {
      expect(effectsOf(after, 'send.message')).toEqual([]);
      expect(isOnChainOnly(after.snapshot)).toBe(true);
      for (const side of ['ownEnd', 'partnerEnd'] as const)
        expect(after.snapshot.context[side].locks).toEqual(before.context[side].locks);
    }
  });

  it('locks nothing for anybody unless it is open', () => {
    const shut = walked().steps.filter(({ before }) => !textOf(before).startsWith('opened'));
    for (const { event, after } of shut)
      if (event.type === 'actor.addLock')
        expect(effectOf(after, 'notify').event.type).toBe('actor.lockRefused');
  });

  it('gives every transaction a key that was never used before', () => {
    for (const { before, after } of walked().steps) {
      const keys = after.effects.flatMap((effect) => ('from' in effect ? [effect.key] : []));
      const { jobs } = after.snapshot.context;
      if (keys.length > 0) expect(jobs).toBeGreaterThan(before.context.jobs);
      for (const key of keys) expect(key.endsWith(`:${jobs}`)).toBe(true);
    }
  });

  it('ends only when every unlock that it waits for is on chain', () => {
    const ends = walked().steps.filter(({ after }) => after.snapshot.status === 'done');
    for (const { before, event } of ends) {
      const last = event.type === 'chain.channelUnlocked' ? 1 : 0;
      expect(before.context.unlocks).toHaveLength(last);
    }
    expect(new Set(ends.map(({ event }) => event.type))).toEqual(
      new Set(['chain.channelSettled', 'chain.channelUnlocked']),
    );
  });

  it('behaves the same after it was stored and read again, for every event in every state', () => {
    const tried = new Set<string>();
    for (const { before, event, after } of walked().steps) {
      const pair = `${textOf(before)} ${event.type}`;
      if (tried.has(pair)) continue;
      tried.add(pair);
      const { state, effects } = restoredStep(CHANNEL, before, event);
      const { value, context } = after.snapshot;
      expect({ pair, state, effects }).toEqual({
        pair,
        state: { value, context },
        effects: after.effects,
      });
    }
    expect(tried.size).toBeGreaterThan(100);
  });
});
