/** What a database holds when a reorganisation has replaced blocks that its node had followed. */
import { describe, expect, it } from 'vitest';
import type { ChannelContext } from '../../../machines/channel/context.ts';
import { rowOf, type StoredState, stateIn } from '../../../src/node/runtime/actors/kinds.ts';
import { rewindStore } from '../../../src/node/runtime/actors/rewind.ts';
import type { Store } from '../../../src/store/store.ts';
import { AT_REST, openChannel } from '../../support/channel-makers.ts';
import { keeper, keeperInput } from '../../support/keeper-makers.ts';
import {
  CHANNEL,
  deposited,
  hashOf,
  NOW,
  OWN,
  onChannel,
  PARTNER,
  position,
  secretOf,
  settled,
  unlocked,
} from '../../support/makers.ts';
import { mediator, PAYEE_CHANNEL } from '../../support/mediation-makers.ts';
import { initiator, target } from '../../support/payment-makers.ts';
import { batchOf, hash, openedStore } from '../../support/store.ts';

const FORK = NOW + 20n;
const LATER = FORK + 1n;
const fork = {
  block: FORK,
  hash: hash(20),
  lostBlock: LATER,
  lostHash: hash(21),
  foundHash: hash(22),
};
const TIME = 1_000;

const open = openChannel({ deposit: 100n, partnerDeposit: 50n }).snapshot.context;
/** The deposit that this node had made in the channel at that block. */
const depositAt = (block: bigint, total: bigint) => ({
  channel: CHANNEL,
  log: { ...deposited(OWN, total), ...onChannel(block) },
});
const LOGS = [depositAt(NOW, 40n), depositAt(FORK, 60n), depositAt(LATER, 100n)];

type Kept = Pick<StoredState, 'value' | 'context'>;
type Parts = Parameters<typeof batchOf>[0];
const REGISTERED: Record<string, Kept> = {
  [`target:${hashOf(1)}`]: { value: 'registered', context: target().snapshot.context },
  [keeperInput().id]: {
    value: 'registered',
    context: { ...keeper().snapshot.context, secret: secretOf(1) },
  },
  [`mediator:${hashOf(1)}`]: {
    value: { payer: { unpaid: 'registered' }, payee: 'pending' },
    context: mediator().snapshot.context,
  },
};
const UNTOUCHED: Record<string, Kept> = {
  [PAYEE_CHANNEL]: { value: AT_REST, context: open },
  [`initiator:${hashOf(2)}`]: initiator().snapshot,
};

/** A store with these actors and a channel of which the last deposit is lost, taken back to the fork. */
function rewound(others: Record<string, Kept> = {}, parts: Parts = {}) {
  const store = openedStore();
  const all = Object.entries({ [CHANNEL]: { value: AT_REST, context: open }, ...others });
  const actors = all.map(([id, state]) => rowOf(id, state));
  const cursor = { block: LATER, hash: fork.lostHash };
  store.commit(batchOf({ actors, logs: LOGS, cursor, ...parts }));
  return { store, told: rewindStore(store, fork, TIME) };
}

function stateOf(store: Store, id: string): StoredState {
  const row = store.loadActors().find((one) => one.id === id);
  if (row === undefined) throw new Error(`no ${id}`);
  return stateIn(row);
}
function channelIn(store: Store): ChannelContext {
  const state = stateOf(store, CHANNEL);
  if (state.kind !== 'channel') throw new Error(state.kind);
  return state.context;
}

describe('a database that goes back to the fork of a chain', () => {
  it('has each channel of which something is lost as the logs up to the fork leave it', () => {
    const { store, told } = rewound();
    expect(told).toEqual([CHANNEL]);
    expect(stateOf(store, CHANNEL).value).toBe('stale');
    expect(channelIn(store)).toMatchObject({ ownEnd: { deposit: 60n }, wakeBlock: null });
    expect([...store.logs(CHANNEL, 0n)].flat().map(({ block }) => block)).toEqual([NOW, FORK]);
  });

  it('has the unlocks of a settled channel still to do whose blocks are lost', () => {
    const logs = [
      { channel: CHANNEL, log: { ...settled(), at: position(NOW) } },
      { channel: CHANNEL, log: { ...unlocked(PARTNER), at: position(FORK) } },
      { channel: CHANNEL, log: { ...unlocked(OWN), at: position(LATER) } },
    ];
    const { store } = rewound({}, { logs });
    expect(stateOf(store, CHANNEL).value).toBe('claiming');
    expect(channelIn(store)).toMatchObject({ unlocks: ['own'], wakeBlock: FORK });
  });

  it('tells the operator of each such channel', () => {
    const { store } = rewound();
    expect(store.alerts()).toEqual([
      {
        alert: 'chain_replaced',
        channel: CHANNEL,
        detail: `the chain lost what it said of the channel above block ${FORK}: it can only be closed`,
        time: TIME,
      },
    ]);
  });

  it('remembers the fork, and goes on from its block', () => {
    const { store } = rewound();
    expect(store.fork()).toEqual(fork);
    expect(store.channelsAfter(FORK)).toEqual([]);
  });

  it('registers once more each secret that a lock of a partner relies on', () => {
    const { store, told } = rewound(REGISTERED);
    expect(told).toEqual([CHANNEL]);
    for (const id of Object.keys(REGISTERED)) {
      const { value, context } = stateOf(store, id);
      expect(JSON.stringify(value)).toContain('"registering"');
      expect(context.wakeBlock).toBe(FORK);
    }
    expect(store.alerts()).toHaveLength(1);
  });

  it('leaves all others as they are', () => {
    const logs = [...LOGS.slice(0, 2), { channel: PAYEE_CHANNEL, log: depositAt(FORK, 1n).log }];
    const { store, told } = rewound(UNTOUCHED, { logs });
    expect(told).toEqual([]);
    expect(stateOf(store, CHANNEL)).toMatchObject({ value: AT_REST, context: open });
    for (const [id, { value, context }] of Object.entries(UNTOUCHED))
      expect(stateOf(store, id)).toMatchObject({ value, context });
    expect(store.alerts()).toEqual([]);
    expect(store.journal.after(0, 10)).toEqual([]);
  });

  it('sends and submits nothing that rested on what is lost, and all the rest', () => {
    const message = (key: string, queue: string | null) => {
      const facts = { recipient: PARTNER, messageId: 1n, nonce: null, givers: [], body: '{}' };
      return { key, queue, ...facts };
    };
    const job = (key: string, actor: string) => ({ key, actor, body: '{}' });
    const { store } = rewound(UNTOUCHED, {
      outbox: [message('a', CHANNEL), message('b', PAYEE_CHANNEL), message('c', null)],
      jobs: [job('a', CHANNEL), job('b', PAYEE_CHANNEL)],
    });
    expect(store.loadOutbox().map(({ key }) => key)).toEqual(['b', 'c']);
    expect(store.loadJobs().map(({ key }) => key)).toEqual(['b']);
  });

  it('has in the journal what became of the channel, from which its past is told on', () => {
    const { store } = rewound();
    const facts = {
      actor: CHANNEL,
      cause: 'outside',
      causeSeq: null,
      state: 'stale',
      version: 1,
      block: FORK,
      time: TIME,
    };
    const [row] = store.loadActors();
    expect(store.journal.after(0, 10)).toMatchObject([
      { ...facts, kind: 'event', event: '{"type":"rewound"}' },
      { ...facts, kind: 'keyframe', event: row?.state },
    ]);
  });

  it('is as safe on disk as after any commit before a node runs on it', () => {
    const store = openedStore();
    let synced = 0;
    const noting: Store = {
      ...store,
      sync() {
        store.sync();
        if (store.fork() !== null) synced += 1;
      },
    };
    rewindStore(noting, fork, TIME);
    expect(synced).toBe(1);
  });
});
