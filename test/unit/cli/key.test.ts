import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHexKey, unlock } from '../../../src/cli/options/key.ts';
import type { KeyChoice } from '../../../src/cli/options/node-options.ts';
import { addressOf } from '../../../src/signer/ecdsa.ts';
import { LIGHT_COST } from '../../../src/signer/key-file.ts';
import { writeKeystore } from '../../../src/signer/keystore.ts';

const ONE = new Uint8Array(32).fill(1);
const TWO = new Uint8Array(32).fill(2);
const STRANGER = addressOf(new Uint8Array(32).fill(3));

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-key-'));
  await writeKeystore(at('single'), ONE, 'p4ss', { cost: LIGHT_COST });
  for (const key of [ONE, TWO]) await writeKeystore(at('both'), key, 'p4ss', { cost: LIGHT_COST });
  writeFileSync(at('password'), 'p4ss\n', { mode: 0o600 });
  writeFileSync(at('wrong'), 'hunter2\n', { mode: 0o600 });
  writeFileSync(at('open'), 'hunter2\n', { mode: 0o644 });
  writeFileSync(at('empty'), '\n', { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true }));

function choice(changes: Partial<KeyChoice> = {}): KeyChoice {
  return { keystorePath: at('single'), address: null, passwordFile: at('password'), ...changes };
}

describe('the key of a node', () => {
  it('is the only one in the keystore when none is named', async () => {
    expect(await unlock(choice())).toMatchObject({ ok: true, value: { address: addressOf(ONE) } });
  });

  it('is the one that is named', async () => {
    const opened = await unlock(choice({ keystorePath: at('both'), address: addressOf(TWO) }));
    expect(opened).toMatchObject({ ok: true, value: { address: addressOf(TWO) } });
  });

  it.each<[string, () => Partial<KeyChoice>, string]>([
    ['no keystore', () => ({ keystorePath: at('nowhere') }), 'make one with "sluice account new'],
    ['no such key', () => ({ address: STRANGER }), `holds no key of ${STRANGER}`],
    ['a choice of keys', () => ({ keystorePath: at('both') }), 'choose one with --address'],
    ['a wrong password', () => ({ passwordFile: at('wrong') }), 'check --password-file'],
    ['an empty password', () => ({ passwordFile: at('empty') }), 'must not be empty'],
    ['a password that others may read', () => ({ passwordFile: at('open') }), 'chmod 600'],
    ['no password file', () => ({ passwordFile: at('nowhere') }), 'password file cannot be read'],
    ['nobody to ask', () => ({ passwordFile: null }), 'give it with --password-file'],
  ])('is refused with what to do when there is %s', async (_, changes, message) => {
    const refused = await unlock(choice(changes()));
    expect(refused).toEqual({ ok: false, message: expect.stringContaining(message) });
    expect(JSON.stringify(refused)).not.toContain('hunter2');
  });
});

describe('a file of hex digits', () => {
  const hex = '01'.repeat(32);

  it.each([hex, `0x${hex}`, `${hex}\n`, hex.toUpperCase()])('holds a key as %j', async (text) => {
    writeFileSync(at('hex'), text);
    const read = await readHexKey(at('hex'));
    expect(read.ok && addressOf(read.value)).toBe(addressOf(ONE));
  });

  it.each(['', 'hunter2', hex.slice(2), '00'.repeat(32), 'ff'.repeat(32)])(
    'holds none as %j, which is not repeated',
    async (text) => {
      writeFileSync(at('hex'), text);
      const refused = await readHexKey(at('hex'));
      const message = `${at('hex')} does not hold a private key (64 hex digits)`;
      expect(refused).toEqual({ ok: false, message });
    },
  );
});
