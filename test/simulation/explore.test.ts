/** Small worlds that are made of those which met something new. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Candidate, changedBy } from '../../src/simulation/explore/changes.ts';
import { createPairFinder, pairKey, possiblePairs } from '../../src/simulation/explore/charts.ts';
import { createCorpus } from '../../src/simulation/explore/corpus.ts';
import { exploredFiles, unmetLines } from '../../src/simulation/explore/coverage.ts';
import { explore } from '../../src/simulation/explore/explore.ts';
import { NOTHING_MET } from '../../src/simulation/explore/meetings.ts';
import { isFields } from '../../src/simulation/explore/shrink-steps.ts';
import { mixScenario, mixTree } from '../../src/simulation/run/mix/mix.ts';
import { crashSummary } from '../../src/simulation/run/summary.ts';
import { parseScenario, validate } from '../../src/simulation/scenario/parse.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { carryOut } from '../../src/simulation/workers/order.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';

const ANY_SCENARIO = mixScenario(1);
const STEERED = { seed: 1, isSteered: true };

function candidateOf(seed: number): Candidate {
  const tree = mixTree(seed);
  if (!isFields(tree)) throw new Error('no scenario');
  return { tree, seed };
}

/** As the command does it, in this thread. */
async function reallyRun(scenario: Scenario, seed: number) {
  const source = { kind: 'scenario', scenario } as const;
  const order = { source, seed, commit: null, isWhole: false, events: null, isMetWanted: true };
  return carryOut(order, { isStopped: () => false, onProgress() {} });
}

/** Whether its cheats do something else than those of the world that is drawn from this seed: only steering does that. */
const isSteered = ({ attacks }: Scenario, seed: number) =>
  !isDeepStrictEqual(attacks, mixScenario(seed).attacks);

/**
 * A run that only pretends: it meets the pairs that `pairs` gives, and fails with `failure` in a world that was steered.
 */
function pretended(pairs: (scenario: Scenario, seed: number) => string[], failure = '') {
  return async (scenario: Scenario, seed: number) => {
    const isBad = failure !== '' && isSteered(scenario, seed);
    const summary = crashSummary(seed, failure, 0);
    const good = { ...summary, verdict: 'passed', hasCrashed: false, violation: null } as const;
    return {
      summary: isBad ? summary : good,
      met: { ...NOTHING_MET, pairs: pairs(scenario, seed) },
    };
  };
}

describe('the pairs of state and event that the charts can meet', () => {
  it('are recognised in states as the journal writes them, with regions beside and within each other', () => {
    const pairsOf = createPairFinder();
    const stateOf = (state: string, event: string) =>
      pairsOf('mediator', state, event).map((pair) => pair.state);
    expect(stateOf('payer.unpaid.pending+payee.waiting', 'chain.block')).toEqual(['payee.waiting']);
    expect(stateOf('payer.unpaid.revealed+payee.pending', 'chain.block')).toEqual([
      'payer.unpaid.revealed',
      'payee.pending',
    ]);
    const opened = 'opened.deposit.idle+withdraw.pending.asking';
    const withdraw = pairsOf('channel', opened, 'cmd.withdraw').map(({ state }) => state);
    expect(withdraw).toEqual(['opened.withdraw.pending']);
  });

  it('include every pair that a run meets', async () => {
    const parsed = validate({ value: mixTree(6), lineOf: () => null }, 'mix');
    if (!parsed.ok) throw new Error('no scenario');
    const { met, summary } = await reallyRun(parsed.scenario, 6);
    const possible = new Set(possiblePairs().map(pairKey));
    expect(summary.verdict).toBe('passed');
    expect(met.pairs.length).toBeGreaterThan(20);
    expect(met.pairs.filter((pair) => !possible.has(pair))).toEqual([]);
    expect(met.outcomes).toContain('says|Update');
    expect(met.outcomes).toContain('says|lock');
  });
});

describe('changed scenarios', () => {
  it('are valid scenarios for the most part, and differ from each other', () => {
    const draw = createRandomness(1).of('test');
    const [first, second] = [candidateOf(1), candidateOf(2)];
    const changed = Array.from({ length: 200 }, () => changedBy(draw, first, second));
    const valid = changed.filter(
      ({ tree }) => validate({ value: tree, lineOf: () => null }, 'changed').ok,
    );
    expect(valid.length).toBeGreaterThan(120);
    const texts = new Set(valid.map((one) => JSON.stringify(one)));
    expect(texts.size).toBeGreaterThan(100);
  });

  it('are made mostly from scenarios that met something rare', () => {
    const corpus = createCorpus();
    const [often, seldom] = [candidateOf(1), candidateOf(2)];
    corpus.add(seldom, { pairs: ['a'], outcomes: ['x', 'rare'] }, 100);
    corpus.add(often, { pairs: ['b'], outcomes: ['x'] }, 100);
    corpus.add(often, { pairs: ['b'], outcomes: ['x'] }, 100);
    expect(corpus.size()).toBe(2);
    const draw = createRandomness(1).of('test');
    const picked = Array.from({ length: 100 }, () => corpus.pick(draw));
    expect(picked.filter((one) => one?.seed === seldom.seed).length).toBeGreaterThan(80);
  });
});

describe('exploring', () => {
  it('does the same again for the same seed, whichever run ends first', async () => {
    const told = async (isLate: (seed: number) => boolean) => {
      const tried: string[] = [];
      const meet = pretended(({ attacks }, seed) => [`${seed % 7}`, `${attacks.length}`]);
      const run: typeof meet = async (scenario, seed) => {
        tried.push(JSON.stringify([seed, scenario.traffic.length, scenario.faults.length]));
        if (isLate(seed)) for (let n = 0; n < 5; n++) await Promise.resolve();
        return meet(scenario, seed);
      };
      const { corpus, progress, pairs } = await explore({ ...STEERED, mostRuns: 60, run });
      return { tried, corpus, progress, pairs: [...pairs] };
    };
    const first = await told(() => false);
    expect(await told((seed) => seed % 2 === 0)).toEqual(first);
    expect(new Set(first.tried).size).toBeGreaterThan(40);
  });

  it('reports each way to fail once, with a scenario that can be run again', async () => {
    const run = pretended((_, seed) => [`pair ${seed % 50}`], 'it broke');
    const explored = await explore({ ...STEERED, mostRuns: 80, run });
    expect(explored.failures).toHaveLength(1);
    const [failure] = explored.failures;
    expect(failure?.times).toBeGreaterThan(1);
    const files = exploredFiles(explored);
    expect(files.slice(0, 2).map(({ name }) => name)).toEqual(['coverage.json', 'failure-1.yaml']);
    const parsed = parseScenario(files[1]?.text ?? '', 'failure-1');
    expect(parsed.ok && parsed.scenario.seed).toBe(failure?.seed);
    expect(parsed.ok && parsed.scenario.attacks.some(({ plan }) => plan === 'moves')).toBe(true);
  });

  it('keeps few worlds that together met everything, the best first', async () => {
    const meet = (_: Scenario, seed: number) =>
      seed % 3 === 0 ? ['a', 'b', 'c'] : [`${seed % 4}`];
    const explored = await explore({ ...STEERED, mostRuns: 60, run: pretended(meet) });
    const { worlds, pairs } = explored;
    const [first] = worlds.map(({ seed }) => seed);
    expect((first ?? 1) % 3).toBe(0);
    const metByWorlds = worlds.flatMap(({ seed }) => meet(ANY_SCENARIO, seed));
    expect(new Set(metByWorlds)).toEqual(new Set(pairs.keys()));
    expect(metByWorlds).toHaveLength(pairs.size);
    const names = exploredFiles(explored).map(({ name }) => name);
    expect(names).toEqual(['coverage.json', ...worlds.map((__, n) => `world-${n + 1}.yaml`)]);
  });

  it('never writes moves unless it is steered', async () => {
    const run = pretended(() => [], 'it broke');
    const { failures, runs } = await explore({ seed: 1, mostRuns: 60, isSteered: false, run });
    expect(failures).toEqual([]);
    expect(runs).toBe(60);
  });

  it('names the events that nobody met, by state', () => {
    const pair = { kind: 'channel', state: 'closed', runs: 0 } as const;
    const counts = [
      { ...pair, event: 'chain.block' },
      { ...pair, event: 'chain.tx' },
      { ...pair, event: 'cmd.close', runs: 3 },
    ];
    expect(unmetLines(counts)).toEqual(['channel closed: chain.block, chain.tx']);
  });
});
