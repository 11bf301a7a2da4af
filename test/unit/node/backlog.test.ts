import { expect, test } from 'vitest';
import { backlogRule } from '../../../src/node/runtime/backlog.ts';
import type { LockQuestion } from '../../../src/node/runtime/lock-gate.ts';
import { addLock } from '../../support/channel-makers.ts';
import { CHANNEL } from '../../support/makers.ts';
import { forwardLock } from '../../support/mediation-makers.ts';

const MIB = 1_048_576;

function judge(
  asked: Pick<LockQuestion, 'kind'> & Partial<LockQuestion>,
  { rows = 0, bytes = 0, given = 0 } = {},
) {
  const rule = backlogRule({
    backlog: (queue) => (queue === CHANNEL ? { rows, bytes } : { rows: 0, bytes: 0 }),
    givenBy: (giver) => (giver === forwardLock().payer.partner ? given : 0),
  });
  const event = asked.kind === 'forward' ? forwardLock() : addLock();
  return rule({ channel: CHANNEL, delivery: { to: CHANNEL, event }, ...asked });
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

test('a payer whose transfers fill the channels of others gets no further one passed on', () => {
  expect(judge({ kind: 'forward' }, { given: MIB / 2 - 1 })).toBeNull();
  expect(judge({ kind: 'forward' }, { given: MIB / 2 })).toBe('too_many_locks');
  expect(judge({ kind: 'own' }, { given: MIB / 2 })).toBeNull();
});
