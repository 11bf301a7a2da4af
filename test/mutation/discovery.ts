/** Switches one change of the source on, and looks for a small random world that is violated by it. */
import type * as Mix from '../../src/simulation/run/mix.ts';
import type * as Simulation from '../../src/simulation/run/simulate.ts';
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
/** How much longer a run may take with a change than without. */
const LONGER = 20;
const SPARE_MS = 20_000;

/** `folder`: of the source with its switches; `ids`: the changes that are asked for. */
export async function createDiscovery(folder: string, ids: readonly string[]) {
  const switches: Switches = {};
  globalThis.__stryker__ = switches;
  const [{ simulate }, { mixScenario }] = [
    await importFrom<typeof Simulation>(folder, 'src/simulation/run/simulate.ts'),
    await importFrom<typeof Mix>(folder, 'src/simulation/run/mix.ts'),
  ];
  const wanted = new Set(ids);
  const fixed = new Set(Object.keys(switches.mutantCoverage?.static ?? {}));
  const bases = new Map<number, Base>();

  async function baseOf(seed: number): Promise<Base> {
    const known = bases.get(seed);
    if (known !== undefined) return known;
    switches.currentTestId = 'base';
    const begun = cpuMs();
    const { trace, violation } = await simulate({ scenario: mixScenario(seed), seed });
    if (violation !== null) throw new Error(`seed ${seed} fails as it is: ${violation.text}`);
    const all = switches.mutantCoverage?.perTest['base'] ?? {};
    const hits = Object.fromEntries(Object.entries(all).filter(([id]) => wanted.has(id)));
    switches.currentTestId = undefined;
    if (switches.mutantCoverage !== undefined) switches.mutantCoverage.perTest = {};
    const base = { trace, cpuMs: cpuMs() - begun, hits };
    bases.set(seed, base);
    return base;
  }

  /** What the change did in the world of this seed. */
  async function runWith(id: string, seed: number, base: Base) {
    const begun = cpuMs();
    const isEndless = () => cpuMs() - begun > LONGER * base.cpuMs + SPARE_MS;
    switches.activeMutant = id;
    switches.hitCount = 0;
    switches.hitLimit = 100 * (base.hits[id] ?? 0) + 5_000;
    try {
      const scenario = mixScenario(seed);
      const { trace, violation } = await simulate({ scenario, seed, isStopped: isEndless });
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
    /** Worlds from the first seed on, until one is violated or `budgetMs` of CPU time are over. */
    async search(id: string, budgetMs: number, onRun: () => void): Promise<Search> {
      let [used, met, others] = [0, 0, 0];
      if (fixed.has(id)) return { end: 'static', cpuMs: 0, runs: 0 };
      for (let seed = 1; used < budgetMs; seed++) {
        onRun();
        const base = await baseOf(seed);
        // Where nothing comes by the change, the run is the same.
        if (base.hits[id] === undefined) {
          used += base.cpuMs;
          continue;
        }
        const run = await runWith(id, seed, base);
        used += run.cpuMs;
        met += 1;
        others += Number(run.isOther);
        if (run.text !== null) return { end: 'found', cpuMs: used, runs: seed, text: run.text };
        if (met >= MET_IN_VAIN && others === 0) return { end: 'same', cpuMs: used, runs: seed };
      }
      return { end: others === 0 ? 'same' : 'survived', cpuMs: used, runs: 0 };
    },
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
