import { describe, expect, it } from 'vitest';
import type { Deadline } from '../../../src/inspector/wire.ts';
import {
  axisOf,
  barOf,
  blockPlace,
  deadlineLines,
  nextOf,
  whenText,
} from '../../../src/inspector-page/views/deadlines/urgency.ts';

function deadlineOf(parts: Partial<Deadline> = {}): Deadline {
  const nothing = { secrethash: null, side: null, amount: null, dangerBlock: null };
  return { what: 'lock', ...nothing, expiryBlock: null, action: '', actionBlock: null, ...parts };
}
const incoming = deadlineOf({
  side: 'partner',
  dangerBlock: 150n,
  expiryBlock: 200n,
  actionBlock: 150n,
});
const outgoing = deadlineOf({ side: 'own', expiryBlock: 180n, actionBlock: 190n });
const urgencyAt = (deadline: Deadline, block: bigint) =>
  deadlineLines([deadline], block)[0]?.urgency;

describe('the deadlines at a block', () => {
  it.each([
    [149n, 'safe'],
    [150n, 'danger'],
    [199n, 'danger'],
    [200n, 'late'],
  ] as const)('call a lock of the partner at block %s %s', (block, urgency) => {
    expect(urgencyAt(incoming, block)).toBe(urgency);
  });

  it('never call a lock of our own dangerous: it comes back', () => {
    expect(urgencyAt(outgoing, 179n)).toBe('safe');
    expect(urgencyAt(outgoing, 180n)).toBe('over');
  });

  it('call the update with the newest proof dangerous until its last block, and late from then on', () => {
    const update = deadlineOf({ what: 'update', expiryBlock: 300n });
    expect(urgencyAt(update, 1n)).toBe('danger');
    expect(urgencyAt(update, 300n)).toBe('late');
  });

  it('say of a deadline without a block only that it waits', () => {
    expect(urgencyAt(deadlineOf(), 1n)).toBe('waits');
  });

  it('put the most urgent first, then whatever comes next', () => {
    const later = deadlineOf({ side: 'own', expiryBlock: 170n });
    const lines = deadlineLines([deadlineOf(), outgoing, later, incoming], 155n);
    expect(lines.map(({ deadline }) => deadline)).toEqual([
      incoming,
      later,
      outgoing,
      deadlineOf(),
    ]);
  });

  it('count the blocks to whatever comes next', () => {
    const [line] = deadlineLines([outgoing], 182n);
    expect(line).toMatchObject({ toDanger: null, toExpiry: -2n, toAction: 8n });
    expect(line && nextOf(line)).toBe(8n);
  });

  it('say when in words', () => {
    expect([3n, 1n, 0n, -1n].map(whenText)).toEqual([
      'in 3 blocks',
      'in 1 block',
      'now',
      '1 block ago',
    ]);
  });
});

describe('the axis of blocks', () => {
  it('has a place for now and for every block, also beyond what floating point counts', () => {
    const far = 2n ** 80n;
    const axis = axisOf([deadlineOf({ expiryBlock: far + 100n })], far);
    expect(axis && [blockPlace(axis, far), blockPlace(axis, far + 100n)]).toEqual([61, 938]);
  });

  it('is written at a few round blocks', () => {
    expect(axisOf([incoming], 101n)?.ticks).toEqual([100n, 120n, 140n, 160n, 180n, 200n]);
    expect(axisOf([deadlineOf({ expiryBlock: 900n })], 400n)?.ticks).toEqual([
      400n,
      500n,
      600n,
      700n,
      800n,
      900n,
    ]);
  });

  it('is not drawn when nothing has a block', () => {
    expect(axisOf([deadlineOf()], 5n)).toBeNull();
  });

  it('shows when a lock is safe, in danger and lost', () => {
    const axis = { from: 100n, to: 300n, ticks: [] };
    expect(barOf(incoming, axis)).toEqual([
      { kind: 'safe', start: 0, end: 250 },
      { kind: 'danger', start: 250, end: 500 },
      { kind: 'late', start: 500, end: 1000 },
    ]);
    expect(barOf(outgoing, axis).map(({ kind }) => kind)).toEqual(['safe', 'over']);
  });
});
