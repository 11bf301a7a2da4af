/** What every benchmark prints, and writes as JSON when it is given `--json FILE`. */
import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

/**
 * `reference` is the figure to compare with, in the same unit; `ratio` is value / reference. `aim`: what the ratio, or
 * the value where there is no reference, should be.
 */
export type Measured = {
  metric: string;
  value: number;
  unit: string;
  reference?: number;
  aim?: string;
};

/** The machine in one line, for the reader of the figures. */
export function machine(): string {
  const cores = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cores.length} x ${cores[0]?.model ?? 'unknown'}, ${memory} GiB, Linux ${release()}, Node ${process.version}`;
}

/** Prints the results as a table and writes the file that the command line asks for. */
export function report(name: string, measured: readonly Measured[]): void {
  const results = measured.map((row) =>
    row.reference === undefined ? row : { ...row, ratio: round(row.value / row.reference) },
  );
  console.log(machine());
  console.table(results);
  const flag = process.argv.indexOf('--json');
  const file = flag < 0 ? undefined : process.argv[flag + 1];
  if (file === undefined) return;
  writeFileSync(file, `${JSON.stringify({ name, machine: machine(), results }, null, 2)}\n`);
}

/** Three digits are all that a measurement on a shared machine is worth. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}
