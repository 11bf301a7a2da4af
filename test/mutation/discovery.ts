/** Switches one change of the source on, and looks for a small random world that is violated by it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type * as Mix from '../../src/simulation/run/mix/mix.ts';
import type * as Simulation from '../../src/simulation/run/simulate.ts';
import type * as Parse from '../../src/simulation/scenario/parse.ts';
import { importFrom } from '../simulation/planted/loader.ts';
import type { Switches } from './switches.ts';

/** A run as it is without any change, and the changes that it comes by, with how often. */
type Base = { trace: string; cpuMs: number; hits: Readonly<Record<string, number>> };
/** `same`: it was met again and again, and changed nothing; `static`: no switch turns it. */
type Search = {
  end: 'found' | 'survived' | 'same' | 'static';
  /** CPU time until then, as if every world had been run for this change alone. */
  cpuMs: number;
  runs: number;
  text?: string;
};

/** A change that was met in so many worlds and left no trace in any is taken for none. */
const MET_IN_VAIN = 40;
/** As many worlds as a change can need, and some more: the parts of several processes differ. */
const SPARE_WORLDS = 1.2;
/** How much longer a run may take with a change than without. */
const LONGER = 20;
const SPARE_MS = 20_000;

/**
 * `folder`: of the source with its switches; `ids`: the changes that are asked for; `worlds`: a folder that `explore` wrote,
 * whose worlds are run before those of the seeds; empty: there is none.
 */
export async function createDiscovery(folder: string, ids: readonly string[], worlds: string) {
  const switches: Switches = {};
  globalThis.__stryker__ = switches;
  const [{ simulate }, { mixScenario }, { parseScenario }] = [
    await importFrom<typeof Simulation>(folder, 'src/simulation/run/simulate.ts'),
    await importFrom<typeof Mix>(folder, 'src/simulation/run/mix/mix.ts'),
    await importFrom<typeof Parse>(folder, 'src/simulation/scenario/parse.ts'),
  ];
  const files = worlds === '' ? [] : readdirSync(worlds).filter((name) => /^world-\d/.test(name));
  const wanted = new Set(ids);
  const fixed = new Set(Object.keys(switches.mutantCoverage?.static ?? {}));
  const bases = `${folder}-bases`;
  mkdirSync(bases, { recursive: true });
  const fileOf = (world: number) => `${bases}/${world}.json`;

  /** The world with this number, from 1 on. */
  function worldOf(n: number) {
    const seed = n - files.length;
    if (seed > 0) return { scenario: mixScenario(seed), seed };
    const parsed = parseScenario(readFileSync(`${worlds}/world-${n}.yaml`, 'utf8'), `world-${n}`);
    if (!parsed.ok) throw new Error(`world-${n}.yaml: ${JSON.stringify(parsed.problems)}`);
    return { scenario: parsed.scenario, seed: parsed.scenario.seed };
  }

  async function makeBase(world: number): Promise<number> {
    switches.currentTestId = 'base';
    const begun = cpuMs();
    const { trace, violation } = await simulate(worldOf(world));
    if (violation !== null) throw new Error(`world ${world} fails as it is: ${violation.text}`);
    const all = switches.mutantCoverage?.perTest['base'] ?? {};
    const hits = Object.fromEntries(Object.entries(all).filter(([id]) => wanted.has(id)));
    switches.currentTestId = undefined;
    if (switches.mutantCoverage !== undefined) switches.mutantCoverage.perTest = {};
    const base: Base = { trace, cpuMs: cpuMs() - begun, hits };
    writeFileSync(fileOf(world), JSON.stringify(base));
    return base.cpuMs;
  }

  function baseOf(world: number): Base | null {
    const file = fileOf(world);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  }

  /** What the change did in the world with this number. */
  async function runWith(id: string, world: number, base: Base) {
    const begun = cpuMs();
    const isEndless = () => cpuMs() - begun > LONGER * base.cpuMs + SPARE_MS;
    switches.activeMutant = id;
    switches.hitCount = 0;
    switches.hitLimit = 100 * (base.hits[id] ?? 0) + 5_000;
    try {
      const { trace, violation } = await simulate({ ...worldOf(world), isStopped: isEndless });
      const text = violation?.text ?? (isEndless() ? 'the run does not end' : null);
      return { isOther: trace !== base.trace, text, cpuMs: cpuMs() - begun };
    } catch (error) {
      return { isOther: true, text: `the program fails: ${error}`, cpuMs: cpuMs() - begun };
    } finally {
      switches.activeMutant = undefined;
      switches.hitCount = undefined;
    }
  }

  return {
    /** Makes every so many of the worlds as they are, for the CPU time that one change may take. */
    async prepare(first: number, step: number, budgetMs: number, onRun: () => void) {
      for (let [world, used] = [first, 0]; used < (SPARE_WORLDS * budgetMs) / step; world += step) {
        onRun();
        used += await makeBase(world);
      }
    },
    /**
     * Worlds from the first on, until one is violated or `budgetMs` of CPU time are over. What a change has left in the memory
     * of this process may change later runs: no other change, and no world as it is, may be tried in it.
     */
    async search(id: string, budgetMs: number, onRun: () => void): Promise<Search> {
      let [used, met, others] = [0, 0, 0];
      if (fixed.has(id)) return { end: 'static', cpuMs: 0, runs: 0 };
      for (let world = 1; used < budgetMs; world++) {
        onRun();
        const base = baseOf(world);
        if (base === null) break;
        // Where nothing comes by the change, the run is the same.
        if (base.hits[id] === undefined) {
          used += base.cpuMs;
          continue;
        }
        const run = await runWith(id, world, base);
        used += run.cpuMs;
        met += 1;
        others += Number(run.isOther);
        if (run.text !== null) return { end: 'found', cpuMs: used, runs: world, text: run.text };
        if (met >= MET_IN_VAIN && others === 0) return { end: 'same', cpuMs: used, runs: world };
      }
      return { end: others === 0 ? 'same' : 'survived', cpuMs: used, runs: met };
    },
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
