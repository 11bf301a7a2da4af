import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokerAccess } from '../../../src/cli/options/broker-access.ts';
import type { BrokerFiles } from '../../../src/cli/options/broker-options.ts';

const NATS = 'nats://broker';
const NOTHING: BrokerFiles = {
  creds: null,
  user: null,
  passwordFile: null,
  authority: null,
  certificate: null,
  key: null,
};
const CREDENTIALS = '-----BEGIN NATS USER JWT-----\nabc\n';
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nabc\n';
const KEY = '-----BEGIN PRIVATE KEY-----\nabc\n';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-broker-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: string, mode = 0o600): string {
  const file = join(mkdtempSync(join(folder, 'file-')), 'file');
  writeFileSync(file, content, { mode });
  return file;
}

function messageOf(files: Partial<BrokerFiles>, nats: string | null = NATS): string {
  const found = brokerAccess(nats, { ...NOTHING, ...files });
  return found.ok ? 'nothing is wrong' : found.message;
}

describe('the login at a broker', () => {
  it('is nothing when no file is named', () => {
    const found = brokerAccess(null, NOTHING);
    expect(found.ok && found.value.access()).toEqual({});
  });

  it('is what the files hold, without the end of the line of a password', () => {
    const found = brokerAccess(NATS, {
      creds: null,
      user: 'alice',
      passwordFile: fileOf('secret \n'),
      authority: fileOf(CERTIFICATE, 0o644),
      certificate: fileOf(CERTIFICATE, 0o644),
      key: fileOf(KEY),
    });
    expect(found.ok && found.value.access()).toEqual({
      login: { user: 'alice', pass: 'secret ' },
      authority: CERTIFICATE,
      certificate: { cert: CERTIFICATE, key: KEY },
    });
  });

  it('is read again for each connection', () => {
    const creds = fileOf(CREDENTIALS);
    const found = brokerAccess(NATS, { ...NOTHING, creds });
    writeFileSync(creds, `${CREDENTIALS}renewed`);
    expect(found.ok && found.value.access().credentials).toContain('renewed');
    rmSync(creds);
    expect(() => found.ok && found.value.access()).toThrow(/--nats-creds/);
  });

  it.each([
    ['a user without a password', { user: 'alice' }, 'belong together'],
    ['a certificate without its key', { certificate: 'x' }, 'belong together'],
    ['a file that is not there', { creds: '/nowhere/x.creds' }, 'cannot be read'],
  ])('is refused with %s', (_, files, message) => {
    expect(messageOf(files)).toContain(message);
  });

  it('is refused without a broker', () => {
    expect(messageOf({ authority: fileOf(CERTIFICATE) }, null)).toContain('need --nats');
  });

  it('is refused when two logins are given', () => {
    const creds = fileOf(CREDENTIALS);
    const both = { creds, user: 'alice', passwordFile: fileOf('secret') };
    expect(messageOf(both)).toContain('choose one');
    expect(messageOf({ creds }, 'nats://user:password@broker')).toContain('choose one');
  });

  it('is refused when a file holds something else', () => {
    expect(messageOf({ creds: fileOf('hello') })).toContain('no NATS user JWT');
    expect(messageOf({ authority: fileOf(KEY) })).toContain('no certificate');
    expect(messageOf({ user: 'alice', passwordFile: fileOf('\n') })).toContain('empty');
  });

  it.runIf(process.platform !== 'win32')('is refused when others may read the secret', () => {
    const passwordFile = fileOf('secret', 0o644);
    expect(messageOf({ user: 'alice', passwordFile })).toContain(`chmod 600 ${passwordFile}`);
  });
});
