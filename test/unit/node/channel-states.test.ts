/** What a node says of its channels and its user deposit, from what their actors know. */

import { describe, expect, it } from 'vitest';
import { channelTags } from '../../../machines/tags.ts';
import {
  apiState,
  channelState,
  isSettled,
  takes,
  userDepositState,
} from '../../../src/node/runtime/actors/channel-states.ts';
import { type StoredState, stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { openChannel } from '../../support/channel-makers.ts';
import { keeper } from '../../support/keeper-makers.ts';
import { CHANNEL, closed, PARTNER, settled } from '../../support/makers.ts';
import { userDeposit } from '../../support/user-deposit-makers.ts';

type Living = { snapshot: Pick<StoredState, 'value' | 'context'> & { context: { id: string } } };

/** A node with these actors. */
const living = (...actors: Living[]) => ({
  stateOf(id: string): StoredState | null {
    const one = actors.find(({ snapshot }) => snapshot.context.id === id);
    return one === undefined ? null : stateFrom(id, one.snapshot);
  },
});

const open = openChannel({ deposit: 100n, partnerDeposit: 50n });
const over = open.tell(closed(PARTNER));
const held = keeper();
const KEEPER = held.snapshot.context.id;

describe('the state of a channel, as callers see it', () => {
  it.each([
    ['opened', 'opened'],
    ['stale', 'opened'],
    ['closing', 'opened'],
    ['closed', 'closed'],
    ['settling', 'closed'],
    ['claiming', 'settled'],
    ['gone', 'settled'],
  ] as const)('of %s is %s', (state, shown) => {
    expect(apiState(channelTags(state))).toBe(shown);
  });

  it('is that of its actor, and of no other', () => {
    const node = living(open, held);
    const { context: channel } = open.snapshot;
    const tags = channelTags(open.snapshot.value);
    expect(channelState(node, CHANNEL)).toEqual({ tags, channel });
    expect(channelState(node, KEEPER)).toBeNull();
    expect(channelState(living(), CHANNEL)).toBeNull();
  });

  it('lets another be opened with the partner once it is settled, and no sooner', () => {
    expect(isSettled(living(over), CHANNEL)).toBe(false);
    expect(isSettled(living(over.tell(settled())), CHANNEL)).toBe(true);
    expect(isSettled(living(), CHANNEL)).toBe(false);
  });
});

describe('a payment', () => {
  const fits = (amount: bigint, lockTimeout: bigint | null = null, node = living(open)) =>
    takes(node, CHANNEL, { amount, lockTimeout });

  it('fits a channel that can sign its lock now', () => {
    expect([fits(100n), fits(101n)]).toEqual([true, false]);
    expect([fits(100n, 20n), fits(100n, 1n)]).toEqual([true, false]);
  });

  it('fits none that is closed, or not there', () => {
    for (const node of [living(over), living()]) expect(fits(1n, null, node)).toBe(false);
  });
});

describe('the user deposit', () => {
  it('is known from its first use', () => {
    const used = userDeposit();
    expect(userDepositState(living(used))).toEqual(used.snapshot.context);
    expect(userDepositState(living(held))).toBeNull();
  });
});
