/** The figures of a report, each recomputed out of what nodes wrote, sent and what the chain emitted. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type PaymentRecord, paymentLines } from '../../src/simulation/report/payment-records.ts';
import { keyFigures } from '../../src/simulation/report/results/figures.ts';
import type { ChannelResult, RunResult } from '../../src/simulation/report/results/result.ts';
import { figuresOf } from '../../src/simulation/run/summary.ts';
import { type Observed, observe } from './observed.ts';
import { scenarioOf } from './small-scenarios.ts';

/** A line in which much happens: fees, a withdrawal, a deposit, a channel that ends, and blocks that come irregularly. */
const SCENARIO = scenarioOf({
  network: { topology: { kind: 'line', nodes: 5 } },
  chain: { jitter: 0.4 },
  defaults: {
    reveal_timeout: 20,
    settle_timeout: 40,
    fees: { flat: '1000', proportional_ppm: 5_000 },
  },
  traffic: [
    {
      rate: { kind: 'poisson', per_block: 0.6 },
      amount: { kind: 'uniform', least: '1 token', most: '9 tokens' },
    },
  ],
  steps: [
    { do: 'withdraw', at_block: 8, node: 0, partner: 1, amount: '3 tokens' },
    { do: 'deposit', at_block: 12, node: 2, partner: 1, amount: '7 tokens' },
    { do: 'close', at_block: 40, node: 3, partner: 4 },
  ],
  faults: [{ kind: 'deaf', nodes: '2', when: { at_block: 20, blocks: 45 } }],
  run: { blocks: 180, calm: 100 },
  expectations: [{ measure: 'messages_per_payment', at_least: 0 }],
});

let result: RunResult;
let observed: Observed;
let records: readonly PaymentRecord[];
beforeAll(async () => {
  ({ result, observed, records } = await observe(SCENARIO, 3));
});

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

describe('the series of a run', () => {
  it('begins with block 0, in order, and counts each block once', () => {
    const blocks = result.series.map(({ block }) => block);
    expect(blocks[0]).toBe(0);
    expect(blocks).toEqual([...new Set(blocks)].sort((a, b) => a - b));
    expect(blocks.at(-1)).toBeLessThan(result.blocks);
    expect(blocks.length).toBeGreaterThan(80);
  });

  it('says how the channels stood when the blocks of each point were over', () => {
    for (const [at, point] of result.series.entries()) {
      const next = result.series[at + 1]?.block ?? null;
      const there = observed.standingAfter(next);
      const { block, pendingLocks, capacity, imbalance } = point;
      if (pendingLocks === null) continue;
      const { pendingLocks: locks, capacity: tokens } = there;
      expect({ block, pendingLocks, capacity }).toEqual({
        block,
        pendingLocks: locks,
        capacity: tokens,
      });
      expect(imbalance).toBeCloseTo(there.imbalance, 5);
    }
    const seen = result.series.flatMap(({ pendingLocks }) => pendingLocks ?? []);
    expect(seen.length).toBeGreaterThan(80);
    expect(Math.max(...seen)).toBeGreaterThan(0);
    expect(result.series.at(-1)?.pendingLocks).toBe(0);
  });

  it('counts the payments that began and ended, and the gas of what was mined', () => {
    const { started, succeeded, failed } = result.payments;
    expect(sum(result.series.map((point) => point.started))).toBe(started);
    expect(sum(result.series.map((point) => point.succeeded))).toBe(succeeded);
    expect(sum(result.series.map((point) => point.failed))).toBe(sum(Object.values(failed)));
    expect(sum(result.series.map((point) => point.gasUsed))).toBe(observed.gas());
  });
});

describe('the messages of a run', () => {
  it('are counted from block 0 on, each once, in every place', () => {
    const counted = observed.messages();
    expect(result.messagesByType).toEqual(counted.byType);
    expect(sum(result.series.map(({ messages }) => messages))).toBe(counted.all);
    expect(sum(result.series.map(({ payloads }) => payloads))).toBe(counted.payloads);
    expect(result.nodes.map(({ messagesSent }) => messagesSent)).toEqual(counted.sent);
    expect(result.nodes.map(({ messagesReceived }) => messagesReceived)).toEqual(counted.received);
    expect(sum(counted.received)).toBeLessThan(counted.all);
  });

  it('have one number for each payment, whoever is asked', () => {
    const wanted = observed.messages().all / result.payments.succeeded;
    const shown = keyFigures(result).find(({ name }) => name === 'Messages per payment');
    expect(shown?.value).toBe(wanted);
    expect(figuresOf(result).messagesPerPayment).toBe(wanted);
    expect(result.expectations[0]?.actual).toBe(String(wanted));
  });
});

describe('a channel of a run', () => {
  it('has what its sides put in, took out and got at its end, as the chain says', () => {
    expect(result.channels.map(onChain)).toEqual(observed.channels().map(onChain));
    expect(result.channels.filter(({ state }) => state === 'settled')).toHaveLength(1);
  });

  it('has what went through it, as both its nodes signed', () => {
    const flows = result.channels.map(({ flowAB, flowBA, payments }) => [flowAB, flowBA, payments]);
    expect(flows).toEqual(observed.flows());
  });

  it('earned the fees of what was passed on into it, all of them together those of its nodes', () => {
    const fees = result.channels.map(({ feesA, feesB }) => [feesA, feesB]);
    expect(fees).toEqual(observed.fees());
    for (const { index, feesEarned } of result.nodes) {
      const own = result.channels.map(({ a, b, feesA, feesB }) =>
        a === index ? feesA : b === index ? feesB : 0n,
      );
      expect(own.reduce((all, one) => all + one, 0n)).toBe(feesEarned);
    }
  });
});

describe('the record of a payment', () => {
  const ofOutcome = (wanted: PaymentRecord['outcome']) =>
    records.filter(({ outcome }) => outcome === wanted);

  it('is there once for each that was started, with how it ended', () => {
    expect(records).toHaveLength(result.payments.started);
    expect(ofOutcome('succeeded')).toHaveLength(result.payments.succeeded);
    const codes = ofOutcome('failed').map(({ code }) => code ?? '');
    const counts = [...new Set(codes)]
      .sort()
      .map((code) => [code, codes.filter((one) => one === code).length]);
    expect(Object.fromEntries(counts)).toEqual(result.payments.failed);
    expect(codes.length).toBeGreaterThan(0);
  });

  it('names the nodes on its way', () => {
    for (const { from, to, path, hops, attempts } of ofOutcome('succeeded')) {
      const way = wayOf(from, to);
      expect({ path, hops, attempts }).toEqual({ path: way, hops: way.length - 1, attempts: 1 });
    }
    const broken = ofOutcome('failed').filter(({ path }) => path.length > 0);
    expect(broken.length).toBeGreaterThan(0);
    for (const { from, to, path, attempts, fee } of broken) {
      expect(path).toEqual(wayOf(from, to).slice(0, path.length));
      expect([attempts, fee]).toEqual([1, null]);
    }
    for (const { code, attempts } of ofOutcome('failed'))
      if (code === 'no_route') expect(attempts).toBe(0);
  });

  it('says what it cost beyond its amount: what mediators earned, and what they left to the payee', async () => {
    const quiet = await observe({ ...SCENARIO, steps: [], faults: [] }, 4);
    const paid = quiet.records.reduce((all, { amount, fee }) => all + amount + (fee ?? 0n), 0n);
    const earned = quiet.result.nodes.reduce((all, { feesEarned }) => all + feesEarned, 0n);
    expect(quiet.result.payments.failed).toEqual({});
    expect(earned).toBeGreaterThan(0n);
    expect(paid).toBe(quiet.observed.received() + earned);
  });

  it('says how long it took, as the latencies do', () => {
    const latencies = ofOutcome('succeeded').map(
      ({ startBlock, endBlock }) => (endBlock ?? 0) - startBlock,
    );
    const counted = result.histograms.latencyBlocks.flatMap(({ value, count }) =>
      Array.from({ length: count }, () => value),
    );
    expect(latencies.toSorted((a, b) => a - b)).toEqual(counted);
    for (const { startMs, endMs } of records) expect(endMs).toBeGreaterThanOrEqual(startMs);
  });

  it('is a line of JSON, with every digit', () => {
    const lines = paymentLines(records).trimEnd().split('\n');
    expect(lines).toHaveLength(records.length);
    for (const [at, { amount, path }] of records.entries())
      expect(JSON.parse(lines[at] ?? '')).toMatchObject({ amount: String(amount), path });
  });
});

/** The nodes from one end of a part of the line to the other. */
function wayOf(from: number, to: number): number[] {
  const step = from < to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => from + at * step);
}

function onChain({ a, b, depositA, depositB, withdrawnA, withdrawnB, endA, endB }: Ends) {
  return { a, b, depositA, depositB, withdrawnA, withdrawnB, endA, endB };
}
type Ends = Pick<
  ChannelResult,
  'a' | 'b' | 'depositA' | 'depositB' | 'withdrawnA' | 'withdrawnB' | 'endA' | 'endB'
>;
