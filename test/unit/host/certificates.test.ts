import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificates } from '../../../src/host/certificates.ts';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'sluice-certificates-'));
const at = (name: string) => join(folder, name);
const begin = Date.now();

/** Makes a certificate that is good for so many days. */
function certify(name: string, days: number, isAuthority: boolean): void {
  const kind = isAuthority ? [] : ['-addext', 'basicConstraints=critical,CA:FALSE'];
  const made = ['-keyout', at('key'), '-out', at(name), '-days', `${days}`, '-subj', `/CN=${name}`];
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', [...how, ...made, ...kind], { stdio: 'ignore' });
}

beforeAll(() => {
  certify('own', 30, false);
  certify('old', 30, true);
  certify('new', 300, true);
  const join2 = (first: string, second: string) =>
    `${readFileSync(at(first))}\n${readFileSync(at(second))}`;
  writeFileSync(at('rotated'), join2('old', 'new'));
  writeFileSync(at('chain'), join2('own', 'new'));
  writeFileSync(at('text'), 'no certificate');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What is said of the file after so many days. */
function saidOf(name: string, days: number): string | null {
  const clock = { now: () => begin + days * DAY_MS, elapsed: () => 0 };
  return createCertificates([{ what: 'The file of --nats-cert', path: at(name) }], clock).trouble();
}

describe('the certificates for the broker', () => {
  it('are told three weeks before they end', () => {
    expect(saidOf('own', 8)).toBeNull();
    expect(saidOf('own', 10)).toMatch(
      /^The file of --nats-cert \(own\) holds a certificate that ends on 20\d\d-\d\d-\d\d\.$/,
    );
    expect(saidOf('own', 31)).toContain('that has ended on');
  });

  it('are judged by the own one of a chain, and by the last to end of several authorities', () => {
    expect(saidOf('chain', 10)).toContain('ends on');
    expect(saidOf('rotated', 10)).toBeNull();
    expect(saidOf('rotated', 290)).toContain('ends on');
  });

  it('are not looked for in files that hold none, or are away', () => {
    expect(saidOf('text', 1_000)).toBeNull();
    expect(saidOf('missing', 1_000)).toBeNull();
  });

  it('are read again a minute later, so that a new one is noticed', () => {
    const now = { elapsed: 0 };
    const clock = { now: () => begin + 10 * DAY_MS, elapsed: () => now.elapsed };
    certify('changed', 30, false);
    const files = [{ what: 'The file of --nats-cert', path: at('changed') }];
    const certificates = createCertificates(files, clock);
    expect(certificates.trouble()).not.toBeNull();
    certify('changed', 300, false);
    expect(certificates.trouble()).not.toBeNull();
    now.elapsed = 60_000;
    expect(certificates.trouble()).toBeNull();
  });
});
