import { beforeEach, describe, expect, it } from 'vitest';
import { createNetworkCopy, type NetworkCopy } from '../../../src/node/routing/network-copy.ts';
import type { FeeSchedule } from '../../../src/protocol/fees/fees.ts';
import type { Statement } from '../../../src/routing/waiting-room.ts';
import {
  closed,
  deposited,
  NETWORK,
  OWN,
  onChannel,
  PARTNER,
  STRANGER,
} from '../../support/makers.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const FREE: FeeSchedule = { flat: 0n, proportional: 0n, imbalancePenalty: null, capFees: true };
const place = { chainId: 31337n, tokenNetwork: NETWORK, channelId: 1n };

let copy: NetworkCopy;
beforeEach(() => {
  copy = createNetworkCopy({ now: () => NOW });
});

const opened = {
  ...onChannel(),
  type: 'chain.channelOpened',
  participant1: OWN,
  participant2: PARTNER,
  settleTimeout: 40n,
} as const;

function openWithDeposit() {
  copy.confirmed(opened);
  copy.confirmed(deposited(OWN, 100n));
}

type Said = { by?: `0x${string}`; capacity?: bigint; nonce?: bigint };

function capacity({ by = OWN, capacity: own = 100n, nonce = 1n }: Said = {}): Statement {
  const isOwn = by === OWN;
  return {
    type: 'PFSCapacityUpdate',
    ...place,
    updatingParticipant: by,
    otherParticipant: isOwn ? PARTNER : OWN,
    updatingNonce: nonce,
    otherNonce: 1n,
    updatingCapacity: isOwn ? own : 0n,
    otherCapacity: isOwn ? 0n : own,
    revealTimeout: 10n,
  };
}

function fees(timestamp: string): Statement {
  const schedule = { ...FREE, flat: 5n };
  return { type: 'PFSFeeUpdate', ...place, updatingParticipant: OWN, schedule, timestamp };
}

function bothSay(said: Said) {
  copy.announced(capacity({ ...said, by: OWN }));
  copy.announced(capacity({ ...said, by: PARTNER }));
}

/** Whether the first participant can send that much to the second. */
function carries(value: bigint): boolean {
  return copy.network.paths({ from: OWN, to: PARTNER, value, maxPaths: 1 }).length > 0;
}

describe("a node's copy of a token network", () => {
  it('takes the smaller of the capacities that both participants announce', () => {
    openWithDeposit();
    copy.announced(capacity({ by: OWN, capacity: 90n }));
    expect(carries(1n)).toBe(false);
    copy.announced(capacity({ by: PARTNER, capacity: 60n }));
    expect([60n, 61n].map(carries)).toEqual([true, false]);
  });

  it('believes no capacity above what the chain says', () => {
    openWithDeposit();
    bothSay({ capacity: 1_000n });
    expect([100n, 101n].map(carries)).toEqual([true, false]);
  });

  it('keeps what is said of a channel until its opening is confirmed', () => {
    bothSay({});
    openWithDeposit();
    expect(carries(100n)).toBe(true);
  });

  it('does not listen to others than the participants', () => {
    openWithDeposit();
    expect(copy.isWanted(capacity({ by: STRANGER }))).toBe(false);
  });

  it('is not led back by an old update that somebody repeats', () => {
    openWithDeposit();
    bothSay({ capacity: 20n, nonce: 7n });
    bothSay({ capacity: 100n, nonce: 6n });
    expect([20n, 21n].map(carries)).toEqual([true, false]);
    bothSay({ capacity: 30n, nonce: 7n });
    expect(carries(30n)).toBe(true);
  });

  it('takes the fees of later times only, and none of times to come', () => {
    openWithDeposit();
    copy.announced(fees('2026-01-01T11:00:00.000'));
    expect(copy.isWanted(fees('2026-01-01T11:00:00.000'))).toBe(false);
    expect(copy.isWanted(fees('2026-01-01T11:00:00.001'))).toBe(true);
    expect(copy.isWanted(fees('2026-01-01T13:00:00.001'))).toBe(false);
  });

  it('uses no channel that is closed', () => {
    openWithDeposit();
    bothSay({});
    copy.confirmed(closed(OWN));
    expect(copy.network.size()).toEqual({ nodes: 0, channels: 0 });
    expect(carries(1n)).toBe(false);
  });
});
