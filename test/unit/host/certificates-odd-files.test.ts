import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { createCertificates } from '../../../src/host/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-odd-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const DAY_MS = 86_400_000;
const begin = Date.now();
function certify(name: string, days: number, isAuthority: boolean): void {
  const kind = isAuthority ? [] : ['-addext', 'basicConstraints=critical,CA:FALSE'];
  const made = ['-keyout', at('key'), '-out', at(name), '-days', `${days}`, '-subj', `/CN=${name}`];
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', [...how, ...made, ...kind], { stdio: 'ignore' });
}
function saidOf(name: string, days: number): string | null {
  const clock = { now: () => begin + days * DAY_MS, elapsed: () => 0 };
  return createCertificates([{ what: 'The file of --nats-cert', path: at(name) }], clock).trouble();
}

it('do not stop the process when a secret came from a named pipe', () => {
  execFileSync('mkfifo', [at('pipe')]);
  const built = join(folder, 'certificates.mjs');
  const source = new URL('../../../src/host/certificates.ts', import.meta.url).pathname;
  buildSync({ entryPoints: [source], outfile: built, format: 'esm', platform: 'node' });
  const program = `
    import { createCertificates } from '${built}';
    const clock = { now: Date.now, elapsed: () => performance.now() };
    createCertificates([{ what: 'x', path: ${JSON.stringify(at('pipe'))} }], clock).trouble();
    console.log('goes on');`;
  writeFileSync(at('program.mjs'), program);
  const { stdout } = spawnSync(process.execPath, [at('program.mjs')], { timeout: 5_000 });
  expect(String(stdout)).toBe('goes on\n');
});

it('tell of an authority in between that ends before the own certificate', () => {
  certify('own', 300, false);
  certify('between', 30, true);
  const both = `${readFileSync(at('own'))}\n${readFileSync(at('between'))}`;
  writeFileSync(at('chain'), both);
  expect(saidOf('chain', 10)).toContain('ends on');
});

it('tell of one that stands beside something that is none', () => {
  certify('short', 30, false);
  const junk = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  writeFileSync(at('mixed'), `${readFileSync(at('short'))}\n${junk}`);
  expect(saidOf('mixed', 10)).toContain('ends on');
});
