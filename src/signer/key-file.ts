/** The text of one encrypted key file: Web3 Secret Storage version 3, as geth and most wallets write it. */
import { randomBytes } from 'node:crypto';
import * as Keystore from 'ox/Keystore';
import * as v from 'valibot';
import { type Address, fromHex, parseAddress, toHex } from '../basics/hex.ts';
import { deriveByPbkdf2, deriveByScrypt, type ScryptCost } from './derive.ts';
import { addressOf, isPrivateKey } from './ecdsa.ts';

type KeystoreProblem =
  | 'not_found'
  | 'already_there'
  | 'open_to_others'
  | 'malformed'
  | 'wrong_password'
  | 'invalid_key'
  | 'file_system';

/** `detail` is for the operator: it names files and what to do, never a key or a password. */
export type KeystoreResult<T> =
  | { ok: true; value: T }
  | { ok: false; problem: KeystoreProblem; detail: string };

/** geth's standard cost: 256 MiB and about a second. */
export const STANDARD_COST: ScryptCost = { n: 262_144, r: 8, p: 1 };
/** geth's light cost: 4 MiB and a fraction of a second. For development and tests. */
export const LIGHT_COST: ScryptCost = { n: 4_096, r: 8, p: 6 };

const MAX_MEMORY = 1024 ** 3;
const SALT_BYTES = 32;
const IV_BYTES = 16;

const hexText = v.pipe(v.string(), v.regex(/^([0-9a-fA-F]{2})+$/));
const count = (highest: number, lowest = 1) =>
  v.pipe(v.number(), v.integer(), v.minValue(lowest), v.maxValue(highest));
const cipher = {
  cipher: v.literal('aes-128-ctr'),
  ciphertext: v.pipe(hexText, v.length(64)),
  cipherparams: v.object({ iv: v.pipe(hexText, v.length(32)) }),
  mac: v.pipe(hexText, v.length(64)),
};
const scryptParams = v.pipe(
  v.object({
    dklen: v.literal(32),
    n: v.pipe(count(2 ** 24, 1_024), v.check(isPowerOfTwo, 'must be a power of two')),
    r: count(1024),
    p: count(64),
    salt: hexText,
  }),
  v.check(({ n, r }) => 128 * n * r <= MAX_MEMORY, 'scrypt asks for more than 1 GiB of memory'),
);
const pbkdf2Params = v.object({
  dklen: v.literal(32),
  c: count(10_000_000, 1_000),
  prf: v.literal('hmac-sha256'),
  salt: hexText,
});
type Derivation =
  | { kdf: 'scrypt'; kdfparams: v.InferOutput<typeof scryptParams> }
  | { kdf: 'pbkdf2'; kdfparams: v.InferOutput<typeof pbkdf2Params> };
const keyFile = v.object({
  version: v.literal(3),
  id: v.optional(v.string(), ''),
  crypto: v.variant('kdf', [
    v.object({ ...cipher, kdf: v.literal('scrypt'), kdfparams: scryptParams }),
    v.object({ ...cipher, kdf: v.literal('pbkdf2'), kdfparams: pbkdf2Params }),
  ]),
});
const anyKeyFile = v.object({
  address: v.optional(v.string(), ''),
  crypto: v.looseObject({}),
});

/**
 * What a key file says in clear: the address of its key, which Foundry's files and others do not tell. Null: the text is no
 * key file.
 */
export function keyFileIn(text: string): { address: Address | null } | null {
  const file = v.safeParse(anyKeyFile, parsedKeyFile(text));
  if (!file.success) return null;
  return { address: parseAddress(`0x${file.output.address.replace(/^0x/i, '')}`) };
}

/** Whether the text is an object in JSON, as a key file is, and no key in plain text. */
export function isJsonObject(text: string): boolean {
  const parsed = parseJson(text);
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
}

/** Mist and ethers write some of the names with a capital letter. */
function parsedKeyFile(text: string): unknown {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  return Object.fromEntries(
    Object.entries(parsed).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** The text of a key file for a valid private key of 32 bytes. */
export async function encryptKey(
  privateKey: Uint8Array,
  password: string,
  cost: ScryptCost,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const derived = await deriveByScrypt(password, salt, cost);
  const kdfparams = { dklen: derived.length, ...cost, salt: toHex(salt).slice(2) };
  const { crypto, id, version } = Keystore.encrypt(privateKey, toHex(derived), {
    kdf: 'scrypt',
    kdfparams,
    iv: randomBytes(IV_BYTES),
  });
  derived.fill(0);
  const address = addressOf(privateKey).slice(2).toLowerCase();
  return `${JSON.stringify({ address, crypto, id, version })}\n`;
}

/** The private key, 32 bytes, of a key file made with scrypt or PBKDF2; the caller overwrites it after use. */
export async function decryptKey(
  text: string,
  password: string,
): Promise<KeystoreResult<Uint8Array>> {
  const file = v.safeParse(keyFile, parsedKeyFile(text));
  if (!file.success) {
    const where = file.issues.map((issue) => v.getDotPath(issue) ?? 'file').join(', ');
    return { ok: false, problem: 'malformed', detail: `not a version 3 key file (see ${where})` };
  }
  let derived: Uint8Array;
  try {
    derived = await derive(file.output.crypto, password);
  } catch (error) {
    const detail = `the key of its password cannot be worked out: ${String(error)}`;
    return { ok: false, problem: 'malformed', detail };
  }
  const privateKey = decryptWith(file.output, toHex(derived));
  derived.fill(0);
  if (privateKey === null) {
    const detail = 'the password is wrong, or the file is damaged';
    return { ok: false, problem: 'wrong_password', detail };
  }
  if (!isPrivateKey(privateKey)) {
    return { ok: false, problem: 'invalid_key', detail: 'its content is not a private key' };
  }
  return { ok: true, value: privateKey };
}

function derive(crypto: Derivation, password: string): Promise<Uint8Array> {
  const salt = fromHex(`0x${crypto.kdfparams.salt}`);
  return crypto.kdf === 'scrypt'
    ? deriveByScrypt(password, salt, crypto.kdfparams)
    : deriveByPbkdf2(password, salt, crypto.kdfparams.c);
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value));
}

/** Null when the checksum over password and content does not fit, the only way in which this can fail. */
function decryptWith(file: Keystore.Keystore, key: Keystore.Key): Uint8Array | null {
  try {
    return Keystore.decrypt(file, key, { as: 'Bytes' });
  } catch {
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}
