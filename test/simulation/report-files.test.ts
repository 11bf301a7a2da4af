import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { writeCsv, writeManyCsv } from '../../src/simulation/report/csv.ts';
import { readJson, writeJson } from '../../src/simulation/report/json.ts';
import { writeJunit, writeManyJunit } from '../../src/simulation/report/junit.ts';
import {
  manyRuns,
  manyRunsSchema,
  oneOfMany,
} from '../../src/simulation/report/results/many-runs.ts';
import { syntheticResult } from '../support/synthetic-result.ts';

const passed = syntheticResult();
const broken = syntheticResult({ seed: 8, isBroken: true });
const many = manyRuns(passed, [oneOfMany(passed), oneOfMany(broken)]);

/** The names of XML's elements in order, having seen that each is closed where it should be. */
function elementsOf(xml: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  for (const [, slash, name = '', , self] of xml.matchAll(
    /<(\/?)([a-z]+)((?:\s+[a-z]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    if (slash === '/') expect(open.pop()).toBe(name);
    else {
      seen.push(name);
      if (self === '') open.push(name);
    }
  }
  expect(open).toEqual([]);
  return seen;
}

describe('a result as JSON', () => {
  it('is read back as it was, amounts too', () => {
    expect(readJson(writeJson(passed))).toEqual(passed);
    expect(readJson(writeJson(broken))).toEqual(broken);
  });

  it('has amounts as decimal strings', () => {
    expect(writeJson(broken)).toContain('"lost": "12000000000000000345"');
  });

  it('is refused with the place of what is wrong', () => {
    const text = writeJson(broken).replace('"lost": "12000000000000000345"', '"lost": "1e19"');
    expect(readJson(text)).toEqual({ problem: 'violation.lost: no whole number' });
    expect(readJson('{')).toEqual({ problem: 'no JSON' });
  });

  it('is read back for many seeds', () => {
    const read = v.parse(manyRunsSchema, JSON.parse(writeJson(many)));
    expect(read).toEqual(many);
    expect(read.totals).toMatchObject({ runs: 2, passed: 1, failed: 1, stopped: 0 });
  });
});

describe('a result as CSV', () => {
  it('has a line of names and a line for each record', () => {
    const { outcomes, series, nodes, channels } = writeCsv(passed);
    expect(series.split('\r\n')).toHaveLength(passed.series.length + 2);
    expect(nodes.split('\r\n')).toHaveLength(passed.nodes.length + 2);
    expect(channels.split('\r\n')[0]).toBe(
      'a,b,depositA,depositB,withdrawnA,withdrawnB,endA,endB,flowAB,flowBA,payments,feesA,feesB,state',
    );
    const counts = outcomes.trim().split('\r\n').slice(1);
    const ended = counts.map((line) => Number(line.split(',')[2]));
    expect(ended.reduce((sum, count) => sum + count, 0)).toBe(passed.payments.started);
  });

  it('leaves empty what nobody looked at', () => {
    const [first, ...others] = passed.series;
    if (first === undefined) throw new Error('the run has a series');
    const unseen = { ...first, pendingLocks: null, capacity: null, imbalance: null };
    const { series } = writeCsv({ ...passed, series: [unseen, ...others] });
    expect(series.split('\r\n')[1]).toMatch(/,,,$/);
  });

  it('leaves every digit of an amount', () => {
    const { nodes } = writeCsv(broken);
    expect(nodes.split('\r\n')[5]).toContain(',12000000000000000345,');
  });

  it('quotes what would end a field, and disarms formulas', () => {
    const [first, ...others] = passed.nodes;
    if (first === undefined) throw new Error('the network has nodes');
    const named = { ...passed, nodes: [{ ...first, name: '=1+"a",b' }, ...others] };
    expect(writeCsv(named).nodes.split('\r\n')[1]).toContain(`"'=1+""a"",b"`);
  });

  it('has a line for each of many seeds, with the break where there was one', () => {
    const lines = writeManyCsv(many).trim().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/^8,failed,.*nobody honest loses,812004,811,4,12000000000000000345,/);
  });
});

describe('a result for build servers', () => {
  it('has a case for the run, each expectation and each rule, and fails what failed', () => {
    const xml = writeJunit(broken);
    const elements = elementsOf(xml);
    const cases = 1 + broken.expectations.length + broken.invariants.length;
    expect(elements.filter((name) => name === 'testcase')).toHaveLength(cases);
    expect(elements.filter((name) => name === 'failure')).toHaveLength(2);
    expect(xml).toContain(`tests="${cases}" failures="2"`);
    expect(xml).toContain('&lt;from the row of nonce 40&gt;');
  });

  it('fails nothing of a run that passed', () => {
    expect(elementsOf(writeJunit(passed))).not.toContain('failure');
  });

  it('tells of a broken rule that nobody listed and of a run that was stopped', () => {
    const unlisted = writeJunit({ ...broken, invariants: [], expectations: [] });
    expect(elementsOf(unlisted).filter((name) => name === 'failure')).toHaveLength(1);
    const stopped = writeJunit({ ...passed, verdict: 'stopped' });
    expect(elementsOf(stopped).filter((name) => name === 'failure')).toHaveLength(1);
  });

  it('has a case for each of many seeds', () => {
    const elements = elementsOf(writeManyJunit(many));
    expect(elements).toEqual(['testsuites', 'testsuite', 'testcase', 'testcase', 'failure']);
  });
});
