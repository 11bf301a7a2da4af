/** `sluice account new|import`: writes a key into an encrypted file. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { isPrivateKey } from '../signer/ecdsa.ts';
import { addressIn, decryptKey } from '../signer/key-file.ts';
import { writeKeystore } from '../signer/keystore.ts';
import {
  type Found,
  KEYSTORE_PATH,
  keystoreFolder,
  PASSWORD_FILE,
  passwordOf,
  readHexKey,
} from './key.ts';
import { declare, type Read, readerOf } from './settings.ts';
import { print, refuse, say } from './terminal.ts';

const SETTINGS = [KEYSTORE_PATH, PASSWORD_FILE];

export function accountCommand(): Command {
  const create = new Command('new').description('make a key');
  declare(create, SETTINGS).action(async () => {
    process.exit(await runNew(readerOf(create)));
  });
  const take = new Command('import')
    .description('take a key over, from a file of 64 hex digits or an encrypted key file')
    .argument('<file>', 'an encrypted (version 3) file keeps its password');
  declare(take, SETTINGS).action(async (file: string) => {
    process.exit(await runImport(readerOf(take), file));
  });
  return new Command('account')
    .description('encrypted key files')
    .addCommand(create)
    .addCommand(take);
}

async function runNew(read: Read): Promise<number> {
  const password = await newPassword(read(PASSWORD_FILE));
  if (!password.ok) return refuse(password.message);
  return store(read, drawKey(), password.value);
}

async function runImport(read: Read, file: string): Promise<number> {
  const content = await contentOf(file);
  if (!content.ok) return refuse(content.message);
  const isEncrypted = addressIn(content.value) !== null;
  const passwordFile = read(PASSWORD_FILE);
  const password = isEncrypted
    ? await passwordOf(passwordFile, `Password of ${file}: `)
    : await newPassword(passwordFile);
  if (!password.ok) return refuse(password.message);
  const key = isEncrypted
    ? await decrypted(content.value, password.value, file)
    : await readHexKey(file);
  return key.ok ? store(read, key.value, password.value) : refuse(key.message);
}

/** Writes the key to a file and overwrites its bytes in memory; answers the exit code. */
async function store(read: Read, key: Uint8Array, password: string): Promise<number> {
  const folder = keystoreFolder(read(KEYSTORE_PATH));
  const written = await writeKeystore(folder, key, password);
  key.fill(0);
  if (!written.ok) return refuse(written.detail);
  print(`${written.value.address} ${written.value.file}`);
  say('Keep the file and its password: without both of them, what the key holds is lost.');
  return 0;
}

async function contentOf(file: string): Promise<Found<string>> {
  try {
    return { ok: true, value: await readFile(file, 'utf8') };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `the key file cannot be read: ${reason}` };
  }
}

async function decrypted(
  content: string,
  password: string,
  file: string,
): Promise<Found<Uint8Array>> {
  const key = await decryptKey(content, password);
  return key.ok ? key : { ok: false, message: `${file}: ${key.detail}` };
}

/** The password in the file, or asked for twice at the terminal. */
async function newPassword(file: string | null): Promise<Found<string>> {
  const first = await passwordOf(file, 'Password for the new key: ');
  if (!first.ok || file !== null) return first;
  const second = await passwordOf(null, 'The same again: ');
  if (!second.ok || second.value === first.value) return second;
  return { ok: false, message: 'the two passwords differ: nothing was written' };
}

function drawKey(): Uint8Array {
  const key = randomBytes(32);
  return isPrivateKey(key) ? key : drawKey();
}
