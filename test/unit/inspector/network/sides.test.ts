import { describe, expect, it } from 'vitest';
import type { ActorView } from '../../../../src/inspector/wire.ts';
import {
  agreementOf,
  channelsOf,
  type SeenChannel,
} from '../../../../src/inspector-page/network/sides.ts';

type End = Partial<Record<'nonce' | 'transferred' | 'locked' | 'deposit' | 'withdrawn', bigint>> & {
  locks?: { secrethash: string }[];
};

const EMPTY = { nonce: 0n, transferred: 0n, locked: 0n, deposit: 0n, withdrawn: 0n, locks: [] };

/** A channel as one node sees it. */
function view(facts: { own?: End; partner?: End; block?: bigint }): ActorView {
  const { own = {}, partner = {}, block = 10n } = facts;
  return {
    block,
    seq: 1,
    row: {
      actor: 'channel:1',
      machine: 'channel',
      state: 'opened',
      token: null,
      partner: null,
      paymentId: null,
      amount: null,
      initiator: null,
      target: null,
      balances: null,
      deadlineBlock: null,
      isEnded: false,
      endTime: null,
    },
    version: 'v',
    context: { ownEnd: { ...EMPTY, ...own }, partnerEnd: { ...EMPTY, ...partner } },
    next: [],
    deadlines: [],
    money: null,
  };
}

const [ALICE, BOB] = ['alice', 'bob'].map((name) => ({ name, isAway: false, told: null }));

function channel(alice: ActorView, bob: ActorView): SeenChannel {
  if (ALICE === undefined || BOB === undefined) throw new Error('there are two');
  return {
    id: 'channel:1',
    parties: [ALICE, BOB],
    sides: [
      { node: 'alice', view: alice },
      { node: 'bob', view: bob },
    ],
  };
}

const NODES = [
  { name: 'alice', address: '0xa' },
  { name: 'bob', address: '0xb' },
];
const money = (address: `0x${string}`) => ({
  address,
  deposit: 0n,
  withdrawn: 0n,
  reserved: 0n,
  balance: 0n,
  locked: 0n,
  capacity: 0n,
  nonce: 0n,
});
const paid = (own: `0x${string}`, partner: `0x${string}`) => ({
  money: {
    own: money(own),
    partner: money(partner),
    isConserved: true,
    closedNow: { own: 0n, partner: 0n, ownLocks: 0n, partnerLocks: 0n },
  },
});

describe('the two sides of a channel', () => {
  it('agree when each has on record of the other what the other says of itself', () => {
    const alice = view({ own: { nonce: 3n, transferred: 7n }, partner: { deposit: 5n } });
    const bob = view({ own: { deposit: 5n }, partner: { nonce: 3n, transferred: 7n } });
    expect(agreementOf(channel(alice, bob))).toEqual({ verdict: 'agreed', differences: [] });
  });

  it('wait for each other while a newer message of one has not reached the other', () => {
    const lock = { secrethash: '0xaa' };
    const alice = view({ own: { nonce: 4n, locked: 5n, locks: [lock] } });
    const bob = view({ partner: { nonce: 3n } });
    expect(agreementOf(channel(alice, bob))).toEqual({
      verdict: 'underWay',
      differences: [
        { field: 'alice’s locked amount', first: '5', second: '0' },
        { field: 'alice’s locks', first: '0xaa', second: 'none' },
      ],
    });
  });

  it('contradict each other when one nonce stands for two amounts', () => {
    const alice = view({ partner: { nonce: 3n, transferred: 7n } });
    const bob = view({ own: { nonce: 3n, transferred: 9n } });
    expect(agreementOf(channel(alice, bob))).toEqual({
      verdict: 'disputed',
      differences: [{ field: 'bob’s transferred amount', first: '7', second: '9' }],
    });
  });

  it('may differ about a deposit at different blocks, but not at the same block', () => {
    const alice = view({ own: { deposit: 9n }, block: 11n });
    const verdictAt = (block: bigint) => agreementOf(channel(alice, view({ block }))).verdict;
    expect([verdictAt(10n), verdictAt(11n)]).toEqual(['underWay', 'disputed']);
  });

  it('are put together by the id of the channel, in the order of the numbers', () => {
    const views = new Map([
      ['channel:10', new Map([['bob', view({})]])],
      ['channel:2', new Map([['bob', view({})]])],
      [
        'channel:1',
        new Map([
          ['alice', view({})],
          ['bob', view({})],
        ]),
      ],
    ]);
    const channels = channelsOf(views, NODES, new Set());
    expect(channels.map(({ id, sides }) => [id, sides.length])).toEqual([
      ['channel:1', 2],
      ['channel:2', 1],
      ['channel:10', 1],
    ]);
    expect(channels.map((one) => agreementOf(one).verdict)).toEqual(['agreed', 'alone', 'alone']);
  });

  it('stay in their order when a node stops, and its side is told by the other', () => {
    const both = new Map([
      ['alice', { ...view({}), ...paid('0xa', '0xb') }],
      ['bob', { ...view({}), ...paid('0xb', '0xa') }],
    ]);
    const [stopped] = channelsOf(new Map([['channel:1', both]]), NODES, new Set(['alice']));
    expect(stopped?.parties.map(({ name, told }) => [name, told?.of])).toEqual([
      ['alice', 'bob/channel:1/partner'],
      ['bob', 'bob/channel:1/own'],
    ]);
    expect(stopped && agreementOf(stopped)).toEqual({ verdict: 'away', differences: [] });
  });
});
