/**
 * Runs each test first as it is, and learns which mutants of the source it meets; then again for each of those that is
 * still alive, with that mutant switched on; and at last as it is. So a mutant costs no more than the test does. After
 * each mutant that a test notices, the test must pass without it: if not, what the mutant left behind decides, and a
 * new process begins.
 */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import {
  type RunnerTestCase,
  type RunnerTestFile,
  type SerializedConfig,
  TestRunner,
} from 'vitest';
import { readOrder, type Seen } from './order.ts';
import type { Hits, Switches } from './switches.ts';

const TRIES_OF_A_PROCESS = 4_000;
/** Vitest tries a test again only for an error. */
const AGAIN = { message: 'another mutant is left' };
const switches: Switches = {};
globalThis.__stryker__ = switches;

function hitsOf(id: string): Hits {
  return switches.mutantCoverage?.perTest[id] ?? {};
}

export default class MutationRunner extends TestRunner {
  readonly #order = readOrder();
  readonly #alive = new Set(this.#order.alive);
  #loaded = false;
  #tries = 0;
  /** The mutants that the test has still to meet; null while it runs for the first time. */
  #left: string[] | null = null;
  /** Whether the test has passed twice: if not, its own first run is in its way, and it can judge no mutant. */
  #repeats = false;
  #begun = 0;
  #begunAt = 0;
  #limitMs = 0;
  /** The test takes so long that mutants meet it in a later round. */
  #slow = false;
  #active: string | null = null;
  /** A mutant that the test noticed, while the test runs without it. */
  #noticed: { mutant: string; how: 'failure' | 'timeout' } | null = null;

  constructor(config: SerializedConfig) {
    super(config);
    switches.activeMutant = this.#order.always ?? undefined;
  }

  /** What is evaluated while the source is loaded is static: a later switch changes nothing. */
  async onBeforeCollect(): Promise<void> {
    if (this.#loaded) return;
    this.#loaded = true;
    for (const file of this.#order.files) {
      await super.importFile(`${process.cwd()}/${file}`, 'collect');
    }
    this.#tell({ kind: 'static', mutants: Object.keys(switches.mutantCoverage?.static ?? {}) });
  }

  /** What a test file evaluates while it is loaded belongs to the file. */
  override async importFile(path: string, source: 'collect' | 'setup'): Promise<unknown> {
    const file = relative(process.cwd(), path);
    switches.currentTestId = file;
    const module: unknown = await super.importFile(path, source);
    switches.currentTestId = undefined;
    return module;
  }

  onCollected(files: RunnerTestFile[]): void {
    for (const { name } of files) {
      this.#tell({ kind: 'loaded', file: name, mutants: Object.keys(hitsOf(name)) });
    }
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    if (this.#order.tested.includes(test.id)) test.mode = 'skip';
    await super.onBeforeRunTask(test);
    this.#left = null;
    this.#repeats = false;
    if (this.#order.always === null) test.repeats = 1;
  }

  override onBeforeTryTask(test: RunnerTestCase): void {
    super.onBeforeTryTask(test);
    if (this.#order.always !== null) return;
    if (test.result !== undefined) {
      test.result.state = 'run';
      test.result.errors = [];
    }
    if (this.#left === null) {
      switches.currentTestId = test.id;
      this.#begun = process.cpuUsage().user;
      this.#begunAt = performance.now();
    } else {
      const asItIs = !this.#repeats || this.#noticed !== null;
      this.#active = asItIs ? null : (this.#left.shift() ?? null);
      if (this.#active !== null) this.#switchOn(this.#active, test);
    }
  }

  /** With a mutant a test may wait for what never comes: it gets twenty times as long as it takes. */
  async runTask(test: RunnerTestCase): Promise<void> {
    const body = TestRunner.getTestFn(test)();
    if (this.#active === null) return body;
    const stop = new AbortController();
    const late = after(this.#limitMs, null, { signal: stop.signal }).then(() => {
      throw new Error(`timed out in ${this.#limitMs} ms`);
    });
    try {
      await Promise.race([body, late]);
    } finally {
      late.catch(() => {});
      stop.abort();
    }
  }

  /** Called when the test and what follows it are over: `fail` has vitest try again, `pass` is the end. */
  async onAfterRetryTask(test: RunnerTestCase): Promise<void> {
    if (this.#order.always !== null || test.result === undefined) return;
    switches.activeMutant = undefined;
    switches.hitCount = undefined;
    const passed = test.result.state === 'pass';
    if (this.#left === null) {
      if (!passed && this.#tries > 0) await this.#stop('restart');
      if (!passed) return this.#tell({ kind: 'broken', name: test.fullName });
      this.#slow = process.cpuUsage().user - this.#begun > 1000 * (this.#order.quickMs ?? 1e9);
      this.#limitMs = 2_000 + 20 * (performance.now() - this.#begunAt);
      const mutants = this.#mutantsOf(test);
      this.#left = this.#slow ? [] : mutants;
      test.retry = 2 * this.#left.length + 3;
      return;
    }
    if (!this.#repeats && !passed) {
      this.#tell({ kind: 'once', test: test.id, name: test.fullName });
      await this.#stop('restart');
    }
    this.#repeats = true;
    if (this.#active !== null && !passed) {
      const text = test.result.errors?.map(({ message }) => message).join() ?? '';
      const how = /Hit count limit reached|timed out in/.test(text) ? 'timeout' : 'failure';
      this.#noticed = { mutant: this.#active, how };
    } else if (this.#active === null) {
      await this.#judge(test, passed);
    }
    const over = this.#active === null && this.#noticed === null && this.#left.length === 0;
    if (this.#active === null) this.#noticed = null;
    test.result.state = over && passed ? 'pass' : 'fail';
    if (!over) test.result.errors = [AGAIN];
    if (over && !this.#slow) this.#tell({ kind: 'tested', test: test.id });
    if (over && this.#alive.size === 0) await this.#stop('over');
    if (over && this.#tries > TRIES_OF_A_PROCESS) await this.#stop('restart');
  }

  /** After a run without a mutant. A mutant that was the process's first cannot owe its end to another. */
  async #judge(test: RunnerTestCase, passed: boolean): Promise<void> {
    const noticed = this.#noticed;
    if (noticed !== null && (passed || this.#tries === 1)) {
      this.#alive.delete(noticed.mutant);
      this.#tell({ kind: 'killed', ...noticed, test: test.fullName });
    } else if (noticed !== null) {
      this.#tell({ kind: 'unsure', mutant: noticed.mutant, test: test.id });
    }
    if (!passed) await this.#stop('restart');
  }

  #mutantsOf(test: RunnerTestCase): string[] {
    const hits = hitsOf(test.id);
    switches.currentTestId = undefined;
    this.#tell({ kind: 'met', file: test.file.name, test: test.id, mutants: Object.keys(hits) });
    const tried = new Set(
      this.#order.tried.filter((one) => one.test === test.id).map((one) => one.mutant),
    );
    const left = Object.keys(hits).filter(
      (mutant) => this.#alive.has(mutant) && !tried.has(mutant),
    );
    const { unsure } = this.#order;
    return unsure?.test === test.id ? [unsure.mutant, ...left] : left;
  }

  #switchOn(mutant: string, test: RunnerTestCase): void {
    this.#tries += 1;
    this.#tell({ kind: 'try', mutant, test: test.id });
    switches.activeMutant = mutant;
    switches.hitCount = 0;
    switches.hitLimit = 100 * (hitsOf(test.id)[mutant] ?? 0) + 5_000;
  }

  #tell(seen: Seen): void {
    appendFileSync(`${this.#order.folder}/seen.jsonl`, `${JSON.stringify(seen)}\n`);
  }

  /** Whoever started the process ends it, and starts another when it is not over. */
  async #stop(kind: 'over' | 'restart'): Promise<void> {
    this.#tell({ kind });
    await new Promise(() => {});
  }
}
