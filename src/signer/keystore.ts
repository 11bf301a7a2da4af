/**
 * A folder of encrypted key files. The folder is 0700 and a file 0600: a key that others can reach is
 * refused, with the command that mends it.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Address } from '../basics/hex.ts';
import type { ScryptCost } from './derive.ts';
import { addressOf, isPrivateKey } from './ecdsa.ts';
import {
  decryptKey,
  encryptKey,
  type KeystoreResult,
  keyFileIn,
  STANDARD_COST,
} from './key-file.ts';

/** One key of a folder; `file` is the whole path. `address`: null when the file does not tell whose key it holds. */
export type KeystoreEntry = { address: Address | null; file: string };
type NamedEntry = KeystoreEntry & { address: Address };

const MAX_FILE_BYTES = 65_536;
/** Files that do not say whose key they hold are opened in turn, each of which takes a second. */
const MOST_NAMELESS = 8;

/** The keys in the folder in order of file name, oldest first; other files are passed over. */
export function listKeystore(folder: string): Promise<KeystoreResult<KeystoreEntry[]>> {
  return overFiles(async () => ({ ok: true, value: await entriesOf(folder) }));
}

/**
 * The private key of the address, 32 bytes; the caller overwrites it after use. Takes about a second
 * with the standard cost.
 */
export function readKeystore(
  folder: string,
  address: Address,
  password: string,
): Promise<KeystoreResult<Uint8Array>> {
  return overFiles(async () => {
    const unsafe = await openToOthers(folder, '700');
    if (unsafe !== null) return unsafe;
    const entries = await entriesOf(folder);
    const named = entries.find((entry) => entry.address === address);
    const nameless = entries.filter((entry) => entry.address === null).slice(0, MOST_NAMELESS);
    let found: KeystoreResult<Uint8Array> = {
      ok: false,
      problem: 'not_found',
      detail: `${folder} holds no key of ${address}`,
    };
    for (const { file } of named === undefined ? nameless : [named]) {
      found = await keyIn(file, address, password);
      if (found.ok) return found;
    }
    return found;
  });
}

async function keyIn(
  file: string,
  address: Address,
  password: string,
): Promise<KeystoreResult<Uint8Array>> {
  const unsafe = await openToOthers(file, '600');
  if (unsafe !== null) return unsafe;
  const key = await decryptKey(await readFile(file, 'utf8'), password);
  if (!key.ok) return { ...key, detail: `${file}: ${key.detail}` };
  if (addressOf(key.value) === address) return key;
  key.value.fill(0);
  return { ok: false, problem: 'malformed', detail: `${file} holds the key of another address` };
}

/**
 * Encrypts the private key into a new file of the folder, which is made when it is missing. Returns
 * only when the file is on disk. A key that is already there is not written again.
 */
export function writeKeystore(
  folder: string,
  privateKey: Uint8Array,
  password: string,
  options: { cost?: ScryptCost; now?: Date } = {},
): Promise<KeystoreResult<NamedEntry>> {
  return overFiles(async () => {
    if (!isPrivateKey(privateKey)) {
      return { ok: false, problem: 'invalid_key', detail: 'these bytes are not a private key' };
    }
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const unsafe = await openToOthers(folder, '700');
    if (unsafe !== null) return unsafe;
    const address = addressOf(privateKey);
    const known = (await entriesOf(folder)).find((entry) => entry.address === address);
    if (known !== undefined) {
      return { ok: false, problem: 'already_there', detail: `${known.file} holds this key` };
    }
    const text = await encryptKey(privateKey, password, options.cost ?? STANDARD_COST);
    const file = join(folder, fileNameOf(address, options.now ?? new Date()));
    await writeDurably(folder, file, text);
    return { ok: true, value: { address, file } };
  });
}

/**
 * The password in a file, without the line end that editors add. What nobody can see in an editor, and other programs
 * leave out, is refused: they would open the key with another password.
 */
export function readPasswordFile(file: string): Promise<KeystoreResult<string>> {
  return overFiles(async () => {
    const text = await readFile(file, 'utf8');
    const open = await openToOthers(file, '600');
    if (open !== null) return open;
    const password = text.replace(/\r?\n$/, '');
    const fault = passwordFault(password);
    if (fault !== null) return { ok: false, problem: 'malformed', detail: `${file} ${fault}` };
    return { ok: true, value: password };
  });
}

function passwordFault(text: string): string | null {
  // As UTF-8, or as what is left of another encoding.
  if (/^[\uFEFF\uFFFD]/.test(text))
    return 'begins with a byte order mark: save it as UTF-8 without one';
  if (/[\r\n]/.test(text)) return 'has more than one line: leave only the password in it';
  return null;
}

async function entriesOf(folder: string): Promise<KeystoreEntry[]> {
  const entries: KeystoreEntry[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const file = join(folder, name);
    if (name.startsWith('.') || !(await isSmallFile(file))) continue;
    const found = keyFileIn(await readFile(file, 'utf8'));
    if (found !== null) entries.push({ ...found, file });
  }
  return entries;
}

async function isSmallFile(file: string): Promise<boolean> {
  const found = await stat(file);
  return found.isFile() && found.size <= MAX_FILE_BYTES;
}

/** The refusal of a file or folder that its group or others may use, or null. Windows has no such modes. */
async function openToOthers(
  path: string,
  mode: '600' | '700',
): Promise<(KeystoreResult<never> & { ok: false }) | null> {
  const found = await stat(path);
  if (process.platform === 'win32' || (found.mode & 0o077) === 0) return null;
  const detail = `${path} is open to other users of this machine: run "chmod ${mode} ${path}"`;
  return { ok: false, problem: 'open_to_others', detail };
}

function fileNameOf(address: Address, now: Date): string {
  const time = now.toISOString().replaceAll(':', '-').replace('Z', '000000Z');
  return `UTC--${time}--${address.slice(2).toLowerCase()}`;
}

/** Writes the file completely or not at all: a key file that is cut off would be a lost key. */
async function writeDurably(folder: string, file: string, text: string): Promise<void> {
  const unfinished = join(folder, `.${basename(file)}.unfinished`);
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Makes a new name in the folder durable. Windows cannot open folders and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Turns an error of the file system into a result; any other error is a bug and is thrown on. */
async function overFiles<T>(work: () => Promise<KeystoreResult<T>>): Promise<KeystoreResult<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
    const problem = error.code === 'ENOENT' ? 'not_found' : 'file_system';
    return { ok: false, problem, detail: error.message };
  }
}
