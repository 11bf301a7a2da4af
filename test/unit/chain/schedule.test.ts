import { describe, expect, it } from 'vitest';
import type { CallKind, Job } from '../../../src/chain/queue/jobs.ts';
import {
  blockAfterLosses,
  hasRoom,
  inTurn,
  isTooLate,
  pauseTicks,
  verdict,
} from '../../../src/chain/queue/schedule.ts';

const job = (key: string, part: Partial<Job> = {}): Job => ({
  key,
  calls: [],
  deadlineBlock: null,
  ...part,
});
const token = '0x00000000000000000000000000000000000000aa';
const keys = (jobs: (Job & { isStarted?: boolean })[]) =>
  inTurn(jobs.map((one, order) => ({ job: one, order, isStarted: one.isStarted ?? false }))).map(
    (entry) => entry.job.key,
  );

describe('inTurn', () => {
  it('puts closes and updates before registrations, and those before the rest', () => {
    const calls = (kind: CallKind) => [{ kind, to: token, data: '0x' } as const];
    const jobs = [
      job('withdraw', { calls: calls('withdraw'), deadlineBlock: 1n }),
      job('secret', { calls: calls('registerSecret'), deadlineBlock: 3n }),
      job('close', { calls: calls('close') }),
      job('update', { calls: calls('updateProof'), deadlineBlock: 90n }),
      job('deposit', { calls: [...calls('approve'), ...calls('deposit')] }),
    ];
    expect(keys(jobs)).toEqual(['update', 'close', 'secret', 'withdraw', 'deposit']);
  });

  it('puts the nearest deadline first and jobs without one last, in order of submission', () => {
    const jobs = [
      job('deposit'),
      job('late', { deadlineBlock: 90n }),
      job('open'),
      job('soon', { deadlineBlock: 20n }),
    ];
    expect(keys(jobs)).toEqual(['soon', 'late', 'deposit', 'open']);
  });

  it('lets only one of the jobs that approve the same token go on', () => {
    const jobs = [job('first', { token }), job('second', { token }), job('other')];
    expect(keys(jobs)).toEqual(['first', 'other']);
  });

  it('keeps the token with the job that has begun, even when a more urgent one waits', () => {
    const begun = { ...job('begun', { token }), isStarted: true };
    expect(keys([job('urgent', { token, deadlineBlock: 1n }), begun])).toEqual(['begun']);
  });
});

describe('hasRoom', () => {
  const none = { protect: 0, register: 0, other: 0 };

  it('keeps four places for registrations, whatever else waits', () => {
    expect(hasRoom({ ...none, protect: 11 }, 'protect')).toBe(true);
    expect(hasRoom({ ...none, protect: 12 }, 'protect')).toBe(false);
    expect(hasRoom({ ...none, protect: 12, register: 3 }, 'register')).toBe(true);
    expect(hasRoom({ ...none, register: 4 }, 'register')).toBe(false);
  });

  it('keeps places for closes and updates, whatever else waits', () => {
    expect(hasRoom({ ...none, other: 5 }, 'other')).toBe(true);
    expect(hasRoom({ ...none, other: 6 }, 'other')).toBe(false);
    expect(hasRoom({ protect: 5, register: 4, other: 6 }, 'protect')).toBe(true);
    expect(hasRoom({ protect: 6, register: 4, other: 6 }, 'protect')).toBe(false);
  });
});

describe('isTooLate', () => {
  const due = job('due', { deadlineBlock: 100n });
  const at = (headBlock: bigint) => ({ headBlock, confirmations: 5n });

  it('is true of an unsent job when the newest block is the last one in time', () => {
    expect(isTooLate(due, false, at(99n))).toBe(false);
    expect(isTooLate(due, false, at(100n))).toBe(true);
  });

  it('is true of a job under way only when the last block in time is confirmed without it', () => {
    expect(isTooLate(due, true, at(105n))).toBe(false);
    expect(isTooLate(due, true, at(106n))).toBe(true);
  });

  it('is never true of an update with a newer balance proof: the contract takes it until somebody settles', () => {
    const update = { kind: 'updateProof', to: token, data: '0x' } as const;
    const late = job('update', { calls: [update], deadlineBlock: 100n });
    expect(isTooLate(late, false, at(1_000n))).toBe(false);
    expect(isTooLate(late, true, at(1_000n))).toBe(false);
  });

  it('is never true of a job without a deadline', () => {
    expect(isTooLate(job('plain'), false, at(10n ** 18n))).toBe(false);
  });
});

describe('blockAfterLosses', () => {
  const settlement = {
    calls: [{ kind: 'settle', to: token, data: '0x' }],
    isPatient: true,
  } as const;
  const blockAfter = (lostRuns: number) =>
    blockAfterLosses(settlement, { lostRuns, lostBlock: 100n });

  it('lets a settlement be sent at once that was never lost', () => {
    expect(blockAfter(0)).toBe(0n);
  });

  it('makes the pauses of a settlement that is lost again and again grow to months, and no longer', () => {
    expect([1, 2, 3].map(blockAfter)).toEqual([180n, 740n, 5_220n]);
    expect(blockAfter(60)).toBe(blockAfter(5));
  });

  it('says nothing about what protects money: that is tried again at once', () => {
    const close = { calls: [{ kind: 'close', to: token, data: '0x' }], isPatient: true } as const;
    expect(blockAfterLosses(close, { lostRuns: 2, lostBlock: 100n })).toBeNull();
  });
});

describe('pauseTicks', () => {
  const plain = job('plain');
  const due = job('due', { deadlineBlock: 100n });

  it('grows to half a minute, but stays short for what has a deadline', () => {
    expect([1, 2, 3, 9].map((tries) => pauseTicks('unavailable', tries, plain, 0n))).toEqual([
      2, 4, 8, 30,
    ]);
    expect([1, 2, 3, 9].map((tries) => pauseTicks('unavailable', tries, due, 0n))).toEqual([
      2, 4, 4, 4,
    ]);
  });

  it('gives an endpoint that lags time to catch up, until the deadline is near', () => {
    expect(pauseTicks('reverted', 5, due, 79n)).toBe(30);
    expect(pauseTicks('reverted', 5, due, 80n)).toBe(4);
  });
});

describe('verdict', () => {
  const plain = job('plain');
  const urgent = job('urgent', { deadlineBlock: 100n });
  const patient = job('patient', { isPatient: true });
  const at = (one: Job, tries: number, step = 0) => ({ job: one, step, tries });

  it('ends a plain job with the first revert', () => {
    expect(verdict('reverted', at(plain, 1), 9n)).toBe('transaction_failed');
  });

  it('never gives up the registration of a secret for a revert while there is time', () => {
    const calls = [{ kind: 'registerSecret', to: token, data: '0x' } as const];
    const registration = job('secret', { calls, deadlineBlock: 100n });
    expect(verdict('reverted', at(registration, 1_000), 9n)).toBeNull();
  });

  it('believes a revert only after some tries when it may come from an old block', () => {
    expect(verdict('reverted', at(plain, 1, 1), 9n)).toBeNull();
    expect(verdict('reverted', at(job('timely', { notBeforeBlock: 9n }), 4), 9n)).toBeNull();
    expect(verdict('reverted', at(urgent, 4), 9n)).toBeNull();
    expect(verdict('reverted', at(urgent, 5), 9n)).toBe('transaction_failed');
  });

  it('ends a plain job at once without gas money, an urgent one only when it is too late', () => {
    expect(verdict('insufficient_gas', at(plain, 1), 9n)).toBe('insufficient_gas');
    expect(verdict('insufficient_gas', at(urgent, 1000), 100n)).toBeNull();
    expect(verdict('insufficient_gas', at(urgent, 1000), 101n)).toBe('insufficient_gas');
  });

  it.each(['unavailable', 'unknown', 'underpriced', 'nonce_too_low'] as const)(
    'never ends a job with a deadline, nor a patient one, because of %s',
    (kind) => {
      expect(verdict(kind, at(urgent, 1000), null)).toBeNull();
      expect(verdict(kind, at(patient, 1000), null)).toBeNull();
      expect(verdict(kind, at(plain, 5), null)).toBeNull();
      const code = kind === 'unavailable' ? 'chain_unavailable' : 'transaction_failed';
      expect(verdict(kind, at(plain, 6), null)).toBe(code);
    },
  );
});
