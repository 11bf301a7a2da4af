import { describe, expect, it } from 'vitest';
import {
  AT_REST,
  addLock,
  type PlayedChannel,
  partnersLock,
  received,
  secretRegistered,
  unlock,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  at,
  blockReached,
  CONFIRMATIONS,
  closed,
  deposited,
  EXPIRATION,
  NOW,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  txFailed,
} from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

/** The partner has had twice the confirmations and the reveal timeout after its lock ran out. */
const CLAIM = EXPIRATION + 2n * CONFIRMATIONS + REVEAL_TIMEOUT;
const { ours, theirs } = withPartnersLock();
const owed = ours.tell(secretRegistered());
const closing = owed.tell(blockReached(CLAIM));
const { key } = effectOf(closing, 'tx.close');
const wakeBlock = ({ snapshot }: PlayedChannel) => snapshot.context.wakeBlock;

describe('a lock whose secret is on chain in time', () => {
  it('leaves its partner a while to unlock, and closes the channel then', () => {
    expect(wakeBlock(owed)).toBe(CLAIM);
    expect(owed.tell(blockReached(CLAIM - 1n)).snapshot.value).toEqual(AT_REST);
    expect(closing.snapshot.value).toEqual({ closing: 'sound' });
    expect(effectOf(closing, 'tx.close').proof).toEqual(owed.snapshot.context.partnerProof);
  });

  it('closes nothing once the partner has unlocked it', () => {
    const paid = owed.tell(received(theirs.tell(unlock())));
    const later = paid.tell(blockReached(CLAIM));
    expect(later.snapshot.value).toEqual(AT_REST);
    expect(later.effects).toEqual([]);
    expect(wakeBlock(later)).toBeNull();
  });

  it('closes nothing when this node has signed the lock: the partner can claim it', () => {
    const own = ours.tell(addLock({ n: 2 }), secretRegistered(2));
    expect(wakeBlock(own)).toBeNull();
    expect(own.tell(blockReached(CLAIM)).snapshot.value).toEqual(AT_REST);
  });

  it('is waited for beside a withdraw, which comes first', () => {
    const both = owed.tell(command.withdraw(25n));
    const lapse = EXPIRATION + 2n * CONFIRMATIONS;
    expect(wakeBlock(both)).toBe(lapse);
    const after = both.tell(blockReached(lapse));
    expect(wakeBlock(after)).toBe(CLAIM);
    expect(after.tell(blockReached(CLAIM)).snapshot.value).toEqual({ closing: 'sound' });
  });

  it('leaves its partner longer where blocks are confirmed later', () => {
    const slow = withPartnersLock({ confirmations: 4n, revealTimeout: 15n });
    const expiration = NOW + 2n * 15n - 1n;
    expect(wakeBlock(slow.ours.tell(secretRegistered()))).toBe(expiration + 2n * 4n + 15n);
  });

  it('closes the channel as soon as the earliest of several has been owed long enough', () => {
    const later = theirs.tell(partnersLock({ n: 2, lockTimeout: 30n }));
    const both = ours.tell(received(later), secretRegistered(2), secretRegistered());
    expect(wakeBlock(both)).toBe(CLAIM);
    expect(both.tell(blockReached(CLAIM)).snapshot.value).toEqual({ closing: 'sound' });
  });

  it('is claimed at its block, whatever other secrets are registered there', () => {
    const second = received(theirs.tell(partnersLock({ n: 2, lockTimeout: 30n })));
    const both = ours.tell(second, secretRegistered(), at(CLAIM, secretRegistered(2)));
    expect(wakeBlock(both)).toBe(CLAIM);
  });

  it('is weighed again a while after it was not worth its gas, whatever is registered meanwhile', () => {
    const second = received(theirs.tell(partnersLock({ n: 2, lockTimeout: 30n })));
    const both = ours.tell(second, secretRegistered());
    const dear = both.tell({ ...blockReached(CLAIM), refusal: 'insufficient_gas' });
    expect(dear.snapshot.value).toEqual(AT_REST);
    expect(wakeBlock(dear)).toBe(CLAIM + 10n);
    expect(wakeBlock(dear.tell(at(CLAIM + 1n, secretRegistered(2))))).toBe(CLAIM + 10n);
  });

  it('is claimed before a withdraw runs out that was asked for later', () => {
    const asked = owed.tell(at(CLAIM - 5n, command.withdraw(25n)));
    expect(wakeBlock(asked)).toBe(CLAIM);
  });

  it('closes the channel at the next look when a withdraw ran out at the same block', () => {
    const late = owed.tell(command.withdraw(25n)).tell(blockReached(CLAIM));
    expect(wakeBlock(late)).toBe(CLAIM);
    expect(late.tell(blockReached(CLAIM + 1n)).snapshot.value).toEqual({ closing: 'sound' });
  });
});

describe('a close that nobody asked for', () => {
  it('accepts no message of the partner any more: its unlock does not change what it owes', () => {
    const late = closing.tell(received(theirs.tell(unlock())));
    expect(late.effects).toEqual([]);
    expect(late.snapshot.context.partnerEnd).toEqual(owed.snapshot.context.partnerEnd);
  });

  it('is tried again after ten blocks when it fails, and not after an unlock', () => {
    const failed = closing.tell({ ...txFailed(key, 'insufficient_gas'), nowBlock: CLAIM });
    expect(failed.snapshot.value).toEqual(AT_REST);
    expect(failed.effects).toEqual([]);
    expect(wakeBlock(failed)).toBe(CLAIM + 10n);
    const again = failed.tell(blockReached(CLAIM + 10n));
    expect(effectOf(again, 'tx.close').key).not.toBe(key);
    const paid = failed.tell(received(theirs.tell(unlock())));
    expect(paid.tell(blockReached(CLAIM + 10n)).snapshot.value).toEqual(AT_REST);
  });

  it('has a transaction of its own, whoever asked for the closes that failed before', () => {
    const failing = (state: PlayedChannel) => {
      const close = effectOf(state, 'tx.close');
      return { key: close.key, open: state.tell({ ...txFailed(close.key), nowBlock: CLAIM }) };
    };
    const first = failing(owed.tell(command.close()));
    const second = failing(first.open.tell(blockReached(CLAIM + 10n)));
    const third = failing(second.open.tell(command.close()));
    expect(new Set([first.key, second.key, third.key]).size).toBe(3);
  });

  it('answers a caller who asks for a close meanwhile', () => {
    const asked = closing.tell(command.close());
    expect(asked.effects).toEqual([]);
    expect(effectsOf(asked.tell(closed(OWN)), 'reply.ok')).toMatchObject([{ requestId: 'close' }]);
    expect(effectOf(asked.tell(command.close()), 'reply.error').code).toBe('busy');
    expect(effectOf(asked.tell(txFailed(key)), 'reply.error').requestId).toBe('close');
  });

  it('brings no deposit that would match one of the partner', () => {
    expect(closing.tell(deposited(PARTNER, 150n)).effects).toEqual([]);
  });
});
