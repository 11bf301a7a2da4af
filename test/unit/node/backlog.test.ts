import { expect, test } from 'vitest';
import type { MadeChange } from '../../../machines/channel/context.ts';
import type { Address } from '../../../src/basics/hex.ts';
import type { LockQuestion } from '../../../src/node/runtime/knowledge/lock-gate.ts';
import { backlogRule } from '../../../src/node/runtime/outbox/backlog.ts';
import { CHANNEL, STRANGER } from '../../support/makers.ts';
import { forwardLock } from '../../support/mediation-makers.ts';
import { brings } from '../../support/risk-makers.ts';
import { lockChange } from '../../support/update-makers.ts';

const MIB = 1_048_576;

type Known = { rows?: number; bytes?: number; given?: number; unsigned?: readonly MadeChange[] };

function judge(
  { kind, channel = CHANNEL }: Pick<LockQuestion, 'kind'> & Partial<Pick<LockQuestion, 'channel'>>,
  { rows = 0, bytes = 0, given = 0, unsigned = [] }: Known = {},
) {
  const outbox = {
    backlog: (queue: string) => (queue === CHANNEL ? { rows, bytes } : { rows: 0, bytes: 0 }),
    givenBy: (queue: string, giver: Address) =>
      queue === CHANNEL && giver === forwardLock().payer.partner ? given : 0,
  };
  const rule = backlogRule(outbox, (queue) => (queue === CHANNEL ? unsigned : []));
  if (kind === 'own') return rule({ kind, channel });
  if (kind === 'forward') return rule({ kind, channel, asked: forwardLock() });
  return rule({ ...brings(), channel });
}

test.each(['own', 'forward'] as const)(
  'a partner that acknowledges nothing gets no further lock: %s',
  (kind) => {
    expect(judge({ kind }, { rows: 479, bytes: MIB - 1 })).toBeNull();
    expect(judge({ kind }, { rows: 480 })).toBe('partner_silent');
    expect(judge({ kind }, { bytes: MIB })).toBe('partner_silent');
    expect(judge({ kind, channel: 'another channel' }, { rows: 480 })).toBeNull();
  },
);

test('what a partner locks is taken, however little it acknowledges: nothing is said in its channel for it', () => {
  expect(judge({ kind: 'receive' }, { rows: 480 })).toBeNull();
});

test('a payer gets as many bytes of a channel as it leaves free, and what it takes of another one does not count', () => {
  const half = { given: MIB / 2, bytes: MIB / 2 };
  expect(judge({ kind: 'forward' }, { given: MIB / 2 - 1, bytes: MIB / 2 - 1 })).toBeNull();
  expect(judge({ kind: 'forward' }, half)).toBe('too_many_locks');
  expect(judge({ kind: 'forward' }, { given: MIB / 4, bytes: (3 * MIB) / 4 })).toBe(
    'too_many_locks',
  );
  expect(judge({ kind: 'forward', channel: 'another channel' }, half)).toBeNull();
  expect(judge({ kind: 'own' }, half)).toBeNull();
});

test('what a channel has not signed yet counts, too: a whole batch may come before its first message', () => {
  const lasting = (count: number, giver: Address | null): MadeChange[] =>
    Array.from({ length: count }, () => {
      const change = lockChange({ metadata: `"${'x'.repeat(15_998)}"` });
      return { change, lock: change.lock, giver };
    });
  const { partner } = forwardLock().payer;
  const judged = (count: number, giver: Address | null = partner) =>
    judge({ kind: 'forward' }, { unsigned: lasting(count, giver) });
  expect(judged(30)).toBeNull();
  expect(judged(33)).toBe('too_many_locks');
  expect(judged(33, STRANGER)).toBeNull();
  expect(judged(66, STRANGER)).toBe('partner_silent');
  expect(judge({ kind: 'own' }, { unsigned: lasting(33, partner) })).toBeNull();
});
