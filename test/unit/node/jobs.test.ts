import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/chain/queue/jobs.ts';
import type { GasVerdict } from '../../../src/node/chain/gas/ledger.ts';
import { createJobs, type JobEnd } from '../../../src/node/chain/jobs/jobs.ts';
import type { ForcedRow } from '../../../src/store/base/batch.ts';
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
  const signed = new Set<string>();
  const recorded: ForcedRow[] = [];
  const forgotten: string[] = [];
  const told: { verdict: GasVerdict; mostGas: bigint | undefined } = {
    verdict: 'send',
    mostGas: 9n,
  };
  let questions = 0;
  const created = createJobs({
    isHeld: () => false,
    isSigned: (key) => signed.has(key),
    record: (rows) => void recorded.push(...rows),
    ledger: {
      weigh: () => told.verdict,
      gasOf: () => 0n,
      charge: () => [{ account: STRANGER, fullBlock: 1n }],
      aside: () => 7n,
      asideOf: () => 0n,
      begin: () => {},
      end: () => {},
      mostGas: () => told.mostGas,
      isPromise: () => false,
      isOver: (tx) => tx.type === 'tx.registerSecret' && !living.has(tx.from),
    },
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
    forget: (key) => void forgotten.push(key),
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
    signed,
    recorded,
    forgotten,
    told,
    waiting: created.waiting,
    order: created.order,
    running: created.running,
    submit: created.submit,
    mined: (minedBlock: bigint) =>
      created.ended(KEY, { ok: true, transactionHash: HASH, minedBlock }),
    endedToo: (key: string, minedBlock: bigint) =>
      created.ended(key, { ok: true, transactionHash: HASH, minedBlock }),
    failed: () =>
      created.ended(KEY, { ok: false, code: 'transaction_failed', detail: 'it reverted' }),
    tooDear: (key: string) =>
      created.ended(key, {
        ok: false,
        code: 'transaction_failed',
        detail: 'it would take 10 gas',
        isTooDear: true,
      }),
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

describe('a job that is weighed', () => {
  const secret = { from: 'target:1', key: 's', deadlineBlock: 20n, secret: hashOf(2) };
  const registration = { type: 'tx.registerSecret', ...secret } as const;

  it('is sent with what it leaves to others, and charged', () => {
    const { submit, submitted, recorded } = jobs();
    const before = recorded.length;
    submit(registration);
    expect(submitted.at(-1)?.leaves?.()).toBe(7n);
    expect(submitted.at(-1)?.mostGas).toBe(9n);
    expect(recorded.length - before).toBe(1);
  });

  it('waits while it is not worth its gas, and is sent when it is', async () => {
    const { submit, submitted, told, waiting, running, confirm } = jobs();
    told.verdict = { wait: 'not worth its gas' };
    submit(registration);
    await confirm(10n);
    expect(submitted).toHaveLength(1);
    expect(waiting()).toEqual([{ tx: registration, why: 'not worth its gas' }]);
    expect(running()).toBe(1);
    told.verdict = 'send';
    await confirm(11n);
    expect([submitted.length, waiting()]).toEqual([2, []]);
  });

  it('ends when nothing waits for it any more, or when it is too late for it', async () => {
    const { submit, submitted, told, confirm, ended } = jobs();
    told.verdict = { wait: 'budget spent' };
    submit(registration);
    await confirm(20n);
    expect(ended).toEqual([]);
    await confirm(21n);
    const detail = 'budget spent, until it was too late';
    expect(ended).toMatchObject([{ to: 'target:1', event: { ok: false, detail } }]);
    told.verdict = 'over';
    submit({ ...registration, key: 't' });
    await confirm(22n);
    expect(ended.at(-1)?.event).toMatchObject({ key: 't', ok: false });
    expect(submitted).toHaveLength(1);
  });

  it('is sent without a budget when somebody orders it, and only that one', async () => {
    const { submit, submitted, recorded, told, order, waiting, confirm } = jobs();
    const charged = recorded.length;
    told.verdict = { wait: 'not worth its gas' };
    for (const key of ['s', 't']) submit({ ...registration, key });
    expect(order(({ key }) => key === 'u')).toEqual([]);
    const held = { tx: { ...registration, key: 's' }, why: 'not worth its gas' };
    expect(order(({ key }) => key === 's')).toEqual([held]);
    expect(waiting().map(({ tx }) => tx.key)).toEqual(['t']);
    expect(submitted).toHaveLength(2);
    expect(submitted[1]?.mostGas).toBeUndefined();
    expect(submitted[1]?.leaves?.()).toBe(7n);
    await confirm(10n);
    expect([submitted.length, recorded.length]).toEqual([2, charged]);
  });

  it('that would take more gas than a budget pays for waits until somebody orders it', async () => {
    const { submit, submitted, tooDear, ended, waiting, order, confirm, forgotten } = jobs();
    submit(registration);
    tooDear('s');
    await confirm(10n);
    expect([submitted.length, ended]).toEqual([2, []]);
    expect(waiting()).toEqual([{ tx: registration, why: 'takes too much gas' }]);
    order(() => true);
    expect([submitted.length, forgotten, waiting()]).toEqual([3, ['s'], []]);
  });

  it('that would take too much gas is sent when no budget has to pay for it any more', async () => {
    const { submit, submitted, tooDear, told, waiting, confirm } = jobs();
    submit(registration);
    tooDear('s');
    told.mostGas = undefined;
    await confirm(10n);
    expect([submitted.length, waiting()]).toEqual([3, []]);
  });

  it('that would take too much gas ends when nothing waits for it any more', async () => {
    const { submit, tooDear, told, ended, confirm } = jobs();
    submit(registration);
    tooDear('s');
    told.verdict = 'over';
    await confirm(10n);
    expect(ended).toMatchObject([{ to: 'target:1', event: { ok: false } }]);
  });

  it('is listed in the order in which it was asked for, however often it was weighed', async () => {
    const { submit, told, waiting, confirm } = jobs();
    told.verdict = { wait: 'budget spent' };
    // More than are weighed at one block.
    const keys = Array.from({ length: 250 }, (_, n) => `k${n}`);
    for (const key of keys) submit({ ...registration, key });
    await confirm(10n);
    expect(waiting().map(({ tx }) => tx.key)).toEqual(keys);
  });

  it('is not weighed again when something was signed for it before', () => {
    const { submit, submitted, told, signed } = jobs();
    signed.add('s');
    told.verdict = { wait: 'not worth its gas' };
    submit(registration);
    expect(submitted).toHaveLength(2);
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
