import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/chain/jobs.ts';
import { hasRoom, inTurn, verdict } from '../../../src/chain/schedule.ts';

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
  it('keeps places for jobs with a deadline', () => {
    expect(hasRoom(7, job('a'))).toBe(true);
    expect(hasRoom(8, job('a'))).toBe(false);
    expect(hasRoom(8, job('a', { deadlineBlock: 5n }))).toBe(true);
    expect(hasRoom(16, job('a', { deadlineBlock: 5n }))).toBe(false);
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
      expect(verdict(kind, at(plain, 6), null)).toBe('chain_unavailable');
    },
  );
});
