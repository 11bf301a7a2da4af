import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Keystore from 'ox/Keystore';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/basics/hex.ts';
import { addressOf } from '../../../src/signer/ecdsa.ts';
import { decryptKey, encryptKey, LIGHT_COST } from '../../../src/signer/key-file.ts';
import {
  listKeystore,
  readKeystore,
  readPasswordFile,
  writeKeystore,
} from '../../../src/signer/keystore.ts';
import { VECTORS } from '../../support/key-file-vectors.ts';

const key = new Uint8Array(32).map((_, index) => index + 50);
const address = addressOf(key);
const cost = { n: 1024, r: 1, p: 1 };
const password = 'correct horse';
type KeyFile = { address: string; crypto: object; id: string; version: number };
let top: string;
let folder: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'sluice-keys-'));
  folder = join(top, 'keystore');
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

async function written(options = { cost }): Promise<string> {
  const result = await writeKeystore(folder, key, password, options);
  if (!result.ok) throw new Error(result.detail);
  return result.value.file;
}

/** Puts a key file that another program made into a safe folder. */
async function foreign(text: string): Promise<string> {
  const file = await written();
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const mode = (path: string) => statSync(path).mode & 0o777;

describe('a key folder', () => {
  it('gives back the key that was put in', async () => {
    await written({ cost: LIGHT_COST });
    const result = await readKeystore(folder, address, password);
    expect(result).toEqual({ ok: true, value: key });
  });

  it('is 0700 with files of 0600, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      const file = await written();
      expect(mode(folder)).toBe(0o700);
      expect(mode(file)).toBe(0o600);
      expect(readdirSync(folder)).toHaveLength(1);
    } finally {
      process.umask(before);
    }
  });

  it('names files as geth does and writes the form that geth reads', async () => {
    const now = new Date('2026-11-20T12:34:56.789Z');
    const result = await writeKeystore(folder, key, password, { cost, now });
    const bare = address.slice(2).toLowerCase();
    const file = join(folder, `UTC--2026-11-20T12-34-56.789000000Z--${bare}`);
    expect(result).toEqual({ ok: true, value: { address, file } });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      address: bare,
      version: 3,
      crypto: { cipher: 'aes-128-ctr', kdf: 'scrypt', kdfparams: { ...cost, dklen: 32 } },
    });
  });

  it('uses the standard cost of geth when nothing else is asked for', async () => {
    const result = await writeKeystore(folder, key, password);
    const file = result.ok ? result.value.file : '';
    const { kdfparams } = JSON.parse(readFileSync(file, 'utf8')).crypto;
    expect(kdfparams).toMatchObject({ n: 262_144, r: 8, p: 1 });
  });

  it('lists its addresses and passes over what is no key', async () => {
    const file = await written();
    writeFileSync(join(folder, 'notes.txt'), 'not json');
    writeFileSync(join(folder, 'other.json'), '{"address": 5}');
    expect(await listKeystore(folder)).toEqual({ ok: true, value: [{ address, file }] });
  });

  it('does not write a key twice', async () => {
    const file = await written();
    const again = await writeKeystore(folder, key, 'other', { cost });
    expect(again).toMatchObject({ ok: false, problem: 'already_there' });
    expect(again.ok ? '' : again.detail).toContain(file);
  });

  it('does not write what is no key', async () => {
    const result = await writeKeystore(folder, new Uint8Array(32), password, { cost });
    expect(result).toMatchObject({ ok: false, problem: 'invalid_key' });
  });

  it('says so when it does not hold the address', async () => {
    await written();
    const other = addressOf(new Uint8Array(32).fill(3));
    const result = await readKeystore(folder, other, password);
    expect(result).toMatchObject({ ok: false, problem: 'not_found' });
    expect(await listKeystore(join(top, 'missing'))).toMatchObject({ problem: 'not_found' });
  });
});

describe('a key that others can reach', () => {
  it.each([0o640, 0o604, 0o660, 0o644])('is refused with the mode %o', async (wide) => {
    const file = await written();
    chmodSync(file, wide);
    const result = await readKeystore(folder, address, password);
    expect(result).toMatchObject({ ok: false, problem: 'open_to_others' });
    expect(result.ok ? '' : result.detail).toContain(`chmod 600 ${file}`);
  });

  it('is refused in a folder that others can enter, for reading and for writing', async () => {
    await written();
    chmodSync(folder, 0o755);
    const other = new Uint8Array(32).fill(4);
    for (const result of [
      await readKeystore(folder, address, password),
      await writeKeystore(folder, other, password, { cost }),
    ]) {
      expect(result).toMatchObject({ ok: false, problem: 'open_to_others' });
      expect(result.ok ? '' : result.detail).toContain(`chmod 700 ${folder}`);
    }
  });
});

describe('the password', () => {
  it('is named as the reason when it is wrong', async () => {
    const file = await written();
    const result = await readKeystore(folder, address, 'wrong horse');
    expect(result).toMatchObject({ ok: false, problem: 'wrong_password' });
    const detail = result.ok ? '' : result.detail;
    expect(detail).toContain(file);
    expect(detail).toContain('password is wrong');
    expect(detail).not.toContain('wrong horse');
  });

  it.each([
    ['123\n', '123'],
    ['123\r\n', '123'],
    ['123', '123'],
    [' 123 ', ' 123 '],
    ['', ''],
  ])('in a file that holds %j is %j', async (content, expected) => {
    const file = join(top, 'password');
    writeFileSync(file, content, { mode: 0o600 });
    expect(await readPasswordFile(file)).toEqual({ ok: true, value: expected });
  });

  it.each([
    ['two lines', '123\n456\n', 'more than one line'],
    ['an empty line after it', '123\n\n', 'more than one line'],
    ['a byte order mark', '\uFEFF123\n', 'byte order mark'],
    ['UTF-16', Buffer.from('\uFEFF123', 'utf16le'), 'byte order mark'],
  ])(
    'is not taken from a file with %s, which another program would read otherwise',
    async (_, content, why) => {
      const file = join(top, 'password');
      writeFileSync(file, content, { mode: 0o600 });
      expect(await readPasswordFile(file)).toMatchObject({
        ok: false,
        problem: 'malformed',
        detail: expect.stringContaining(why),
      });
    },
  );

  it('is not taken from a file that others may read', async () => {
    const file = join(top, 'open-password');
    writeFileSync(file, '123\n');
    chmodSync(file, 0o640);
    const result = await readPasswordFile(file);
    expect(result).toMatchObject({ ok: false, problem: 'open_to_others' });
    expect(result).toMatchObject({ detail: expect.stringContaining(`chmod 600 ${file}`) });
  });

  it('is missed when its file is not there', async () => {
    const result = await readPasswordFile(join(top, 'missing'));
    expect(result).toMatchObject({ ok: false, problem: 'not_found' });
  });
});

describe('key files of other programs', () => {
  it.each(Object.entries(VECTORS))('are read as published, with %s', async (_kdf, vector) => {
    await foreign(vector.text);
    const owner = addressOf(fromHex(vector.privateKey));
    const found = await readKeystore(folder, owner, vector.password);
    expect(found.ok && toHex(found.value)).toBe(vector.privateKey);
  });

  it.each([
    [
      'Foundry, without the address',
      ({ crypto, id, version }: KeyFile) => ({ crypto, id, version }),
    ],
    [
      'ethers 6, with "Crypto"',
      ({ crypto, ...rest }: KeyFile) => ({
        ...rest,
        Crypto: crypto,
        'x-ethers': { client: 'ethers/6' },
      }),
    ],
    [
      'Mist, with "Crypto" before everything else',
      ({ crypto, ...rest }: KeyFile) => ({ Crypto: crypto, ...rest }),
    ],
    ['an editor that adds a byte order mark', (file: KeyFile) => file],
  ])('are read when they are of %s', async (who, change) => {
    const text = await encryptKey(key, password, cost);
    const mark = who.includes('byte order mark') ? '\uFEFF' : '';
    await foreign(`${mark}${JSON.stringify(change(JSON.parse(text)))}`);
    expect(await readKeystore(folder, address, password)).toEqual({ ok: true, value: key });
    const listed = await listKeystore(folder);
    expect(listed).toMatchObject({
      value: [{ address: who.includes('without') ? null : address }],
    });
  });

  it('that name no address are opened in turn until one holds the key', async () => {
    const nameless = async (secret: Uint8Array, name: string) => {
      const { crypto, id, version }: KeyFile = JSON.parse(await encryptKey(secret, password, cost));
      writeFileSync(join(folder, name), JSON.stringify({ crypto, id, version }), { mode: 0o600 });
    };
    rmSync(await written());
    await nameless(new Uint8Array(32).fill(3), 'first');
    await nameless(key, 'second');
    expect(await readKeystore(folder, address, password)).toEqual({ ok: true, value: key });
    expect(await readKeystore(folder, address, 'wrong')).toMatchObject({
      problem: 'wrong_password',
    });
  });

  const bare = address.slice(2).toLowerCase();

  it('are read when they were made with PBKDF2', async () => {
    const [derived, options] = Keystore.pbkdf2({ password, iterations: 1_000 });
    const content = Keystore.encrypt(toHex(key), derived, options);
    await foreign(JSON.stringify({ ...content, address: bare }));
    expect(await readKeystore(folder, address, password)).toEqual({ ok: true, value: key });
    const wrong = await readKeystore(folder, address, 'wrong');
    expect(wrong).toMatchObject({ ok: false, problem: 'wrong_password' });
  });

  it('are refused when they hold the key of another address', async () => {
    const [derived, options] = Keystore.pbkdf2({ password, iterations: 1_000 });
    const content = Keystore.encrypt(`0x${'07'.repeat(32)}`, derived, options);
    await foreign(JSON.stringify({ ...content, address: bare }));
    const result = await readKeystore(folder, address, password);
    expect(result).toMatchObject({ ok: false, problem: 'malformed' });
  });

  it('are refused when their content is no private key', async () => {
    const [derived, options] = Keystore.pbkdf2({ password, iterations: 1_000 });
    const content = Keystore.encrypt(`0x${'00'.repeat(32)}`, derived, options);
    await foreign(JSON.stringify({ ...content, address: bare }));
    const result = await readKeystore(folder, address, password);
    expect(result).toMatchObject({ ok: false, problem: 'invalid_key' });
  });

  it.each<[string, (file: Record<string, unknown>, crypto: Record<string, unknown>) => void]>([
    ['version 1', (file) => Object.assign(file, { version: 1 })],
    ['an unknown cipher', (_, crypto) => Object.assign(crypto, { cipher: 'aes-256-gcm' })],
    ['an unknown derivation', (_, crypto) => Object.assign(crypto, { kdf: 'argon2' })],
    ['no ciphertext', (_, crypto) => Object.assign(crypto, { ciphertext: '' })],
    ['a cost that would eat all memory', (_, crypto) => raise(crypto, { n: 2 ** 24, r: 8 })],
    ['a cost that is no power of two', (_, crypto) => raise(crypto, { n: 1025 })],
    ['a cost that protects nothing', (_, crypto) => raise(crypto, { n: 512 })],
  ])('are refused with %s', async (_, change) => {
    const file = await written();
    const content = JSON.parse(readFileSync(file, 'utf8'));
    change(content, content.crypto);
    writeFileSync(file, JSON.stringify(content));
    const result = await readKeystore(folder, address, password);
    expect(result).toMatchObject({ ok: false, problem: 'malformed' });
  });
});

describe('a password in any letters', () => {
  const passwords = [
    'Pässwort ⚡ 密碼 𝒳',
    'Pa\u0308sswort',
    '\u00c5ngstro\u0308m',
    '\ud800 half',
    '',
  ];

  it.each(passwords)('%j opens what ox wrote, and ox opens what it wrote', async (letters) => {
    const [derived, options] = Keystore.scrypt({ password: letters, ...cost });
    const theirs = JSON.stringify(Keystore.encrypt(key, derived, options));
    expect(await decryptKey(theirs, letters)).toEqual({ ok: true, value: key });

    const ours = JSON.parse(await encryptKey(key, letters, cost));
    const known = Keystore.toKey(ours, { password: letters });
    expect(Keystore.decrypt(ours, known)).toBe(toHex(key));
  });

  it('is another one when its letters are put together in another way', async () => {
    const text = await encryptKey(key, 'P\u00e4sswort', cost);
    expect(await decryptKey(text, 'Pa\u0308sswort')).toMatchObject({ problem: 'wrong_password' });
  });
});

describe('the work of opening a key', () => {
  it.each([
    { n: 131_072, r: 8, p: 1 },
    { n: 131_072, r: 1, p: 8 },
  ])('%j leaves the thread of everything else free', async (params) => {
    const before = performance.eventLoopUtilization();
    const text = await encryptKey(key, password, params);
    expect(await decryptKey(text, password)).toMatchObject({ ok: true });
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  });

  it.each([
    { n: 1_024, r: 1_024, p: 1 },
    { n: 32_768, r: 1, p: 64 },
    { n: 65_536, r: 1, p: 1 },
  ])('is done with the memory that %j needs', async (params) => {
    const [derived, options] = Keystore.scrypt({ password, ...params });
    const text = JSON.stringify(Keystore.encrypt(key, derived, options));
    expect(await decryptKey(text, password)).toEqual({ ok: true, value: key });
  });
});

/** The two test vectors of the format's own specification (Web3 Secret Storage Definition). */
describe('the published key files', () => {
  const salt = 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd';
  const pbkdf2 = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: { c: 262_144, dklen: 32, prf: 'hmac-sha256', salt },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  };
  const scrypt = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262_144,
      r: 1,
      p: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  };

  it.each([pbkdf2, scrypt])('are read ($kdf)', async (crypto) => {
    const id = '3198bc9c-6672-5ab3-d995-4942343ae5b6';
    const result = await decryptKey(JSON.stringify({ crypto, id, version: 3 }), 'testpassword');
    if (!result.ok) throw new Error(result.detail);
    const secret = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
    expect(toHex(result.value)).toBe(secret);
  });
});

function raise(crypto: Record<string, unknown>, params: Record<string, number>): void {
  Object.assign(crypto, { kdfparams: Object.assign({}, crypto['kdfparams'], params) });
}
