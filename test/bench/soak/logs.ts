/** The folder of a soak: its logs, one file for each process and one of the driver, beside the files of the nodes. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Logs = ReturnType<typeof createLogs>;

export function createLogs() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'));
  mkdirSync(join(folder, 'logs'));
  const fileOf = (name: string) => join(folder, 'logs', `${name}.log`);
  const write = (name: string, line: string) =>
    appendFileSync(fileOf(name), `${new Date().toISOString()} ${line}\n`);
  return {
    folder,
    fileOf,
    write,
    /** What the driver does and hears. */
    note: (line: string) => write('driver', line),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
