import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/chain/queue/jobs.ts';
import { createJobs, type JobEnd } from '../../../src/node/chain/jobs.ts';
import { hashOf, OWN, SIGNATURE, STRANGER } from '../../support/makers.ts';
import { CONTRACT } from '../../support/user-deposit-makers.ts';

const KEY = 'plan:withdrawal:1';
const HASH = hashOf(1);

/** One job, with a chain that says where its transaction stands. */
function jobs() {
  const chain: { confirmed: bigint; minedBlock: bigint | null } = {
    confirmed: 9n,
    minedBlock: 10n,
  };
  const ended: JobEnd[] = [];
  const submitted: Job[] = [];
  const living = new Set(['target:1']);
  let questions = 0;
  const created = createJobs({
    isHeld: () => false,
    lives: (actor) => living.has(actor),
    own: OWN,
    chainId: 1n,
    registry: STRANGER,
    secretRegistry: STRANGER,
    depositLimits: { participantLimit: 1n, networkLimit: 1n },
    sign: () => SIGNATURE,
    allowance: async () => 0n,
    approves: async () => true,
    takingFault: async () => null,
    findProof: () => null,
    locksAt: () => [],
    submit: (job) => void submitted.push(job),
    async minedBlockOf() {
      questions += 1;
      return chain.minedBlock;
    },
    confirmedBlock: () => chain.confirmed,
    endJob: (_, delivery) => void ended.push(delivery),
    onFatal: (error) => {
      throw error;
    },
    fault: () => {},
  });
  const tx = { from: 'withdrawal:1', key: KEY, deadlineBlock: null, contract: CONTRACT };
  created.submit({ type: 'tx.userDepositPlan', ...tx, amount: 1n });
  return {
    chain,
    ended,
    submitted,
    living,
    submit: created.submit,
    mined: (minedBlock: bigint) =>
      created.ended(KEY, { ok: true, transactionHash: HASH, minedBlock }),
    endedToo: (key: string, minedBlock: bigint) =>
      created.ended(key, { ok: true, transactionHash: HASH, minedBlock }),
    failed: () =>
      created.ended(KEY, { ok: false, code: 'transaction_failed', detail: 'it reverted' }),
    questions: () => questions,
    /** The block is confirmed, and what follows from it has happened. */
    async confirm(block: bigint) {
      chain.confirmed = block;
      created.confirmed();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('a job', () => {
  const rest = { from: 'any', deadlineBlock: null, contract: CONTRACT };

  it('that withdraws from the user deposit waits for its block', () => {
    const { submit, submitted } = jobs();
    const order = { key: 'w', amount: 1n, withdrawBlock: 110n };
    submit({ type: 'tx.userDepositWithdraw', ...rest, ...order });
    expect(submitted.map(({ notBeforeBlock }) => notBeforeBlock)).toEqual([undefined, 110n]);
  });

  it('that registers a secret is wanted as long as the payment has not ended', () => {
    const { submit, submitted, living } = jobs();
    const order = { from: 'target:1', key: 's', deadlineBlock: 20n, secret: hashOf(2) };
    submit({ type: 'tx.registerSecret', ...order });
    expect(submitted.at(-1)?.isWanted?.()).toBe(true);
    living.delete('target:1');
    expect(submitted.at(-1)?.isWanted?.()).toBe(false);
  });

  it('that pays into the user deposit takes its turn among those that approve the token', () => {
    const { submit, submitted } = jobs();
    const order = { key: 'd', token: STRANGER, total: 2n, added: 1n };
    submit({ type: 'tx.userDeposit', ...rest, ...order });
    expect(submitted.map(({ token }) => token)).toEqual([undefined, STRANGER]);
  });
});

describe('a job whose transaction is mined', () => {
  it('ends when its block is confirmed', async () => {
    const { mined, confirm, ended } = jobs();
    mined(10n);
    await confirm(9n);
    expect(ended).toEqual([]);
    await confirm(10n);
    const end = { type: 'chain.tx', key: KEY, ok: true, transactionHash: HASH, minedBlock: 10n };
    expect(ended).toEqual([{ to: 'withdrawal:1', event: end }]);
  });

  it('waits for the block in which a reorganisation has put it', async () => {
    const { chain, mined, confirm, ended } = jobs();
    mined(10n);
    chain.minedBlock = 12n;
    await confirm(11n);
    expect(ended).toEqual([]);
    await confirm(12n);
    expect(ended).toMatchObject([{ event: { ok: true, minedBlock: 12n } }]);
  });

  it('waits when a reorganisation took it back, or left it without effect', async () => {
    const { chain, mined, confirm, ended } = jobs();
    mined(10n);
    chain.minedBlock = null;
    await confirm(11n);
    expect(ended).toEqual([]);
    chain.minedBlock = 12n;
    mined(12n);
    await confirm(12n);
    expect(ended).toMatchObject([{ event: { ok: true, minedBlock: 12n } }]);
  });

  it('is asked for no more when it has failed in the meantime', async () => {
    const { chain, mined, failed, confirm, ended, questions } = jobs();
    mined(10n);
    chain.minedBlock = null;
    const confirmed = confirm(11n);
    failed();
    await confirmed;
    expect(ended).toMatchObject([{ event: { ok: false, code: 'transaction_failed' } }]);
    const before = questions();
    await confirm(12n);
    expect(questions()).toBe(before);
  });

  it('asks once for a transaction in which others end, too', async () => {
    const { chain, submit, submitted, mined, endedToo, confirm, ended, questions } = jobs();
    const registration = {
      type: 'tx.registerSecret',
      from: 'target:1',
      deadlineBlock: 99n,
    } as const;
    submit({ ...registration, key: 'a', secret: hashOf(2) });
    submit({ ...registration, key: 'b', secret: hashOf(3) });
    expect(submitted.map(({ mayShare }) => mayShare)).toEqual([false, true, true]);
    chain.confirmed = 8n;
    mined(10n);
    endedToo('a', 10n);
    endedToo('b', 10n);
    await confirm(10n);
    expect(ended.map(({ event }) => event.key)).toEqual([KEY, 'a', 'b']);
    expect(questions()).toBe(1);
  });
});
