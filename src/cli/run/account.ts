/** Writes a key into an encrypted file. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../basics/message-of.ts';
import { isPrivateKey } from '../../signer/ecdsa.ts';
import { decryptKey, isJsonObject } from '../../signer/key-file.ts';
import { writeKeystore } from '../../signer/keystore.ts';
import { keystoreFolder, passwordOf, readHexKey } from '../options/key.ts';
import { type Found, found, wrong } from '../process/found.ts';
import { print, refuse, say } from '../process/terminal.ts';

/** Where keys are, and the file with the password; null when an option was not given. */
type Place = { keystorePath: string | null; passwordFile: string | null };

/** The exit code. */
export async function runNew(place: Place): Promise<number> {
  const password = await newPassword(place.passwordFile);
  if (!password.ok) return refuse(password.message);
  return store(place, drawKey(), password.value);
}

/** The exit code. */
export async function runImport(place: Place, file: string): Promise<number> {
  const content = await contentOf(file);
  if (!content.ok) return refuse(content.message);
  const isEncrypted = isJsonObject(content.value);
  const { passwordFile } = place;
  const password = isEncrypted
    ? await passwordOf(passwordFile, `Password of ${file}: `)
    : await newPassword(passwordFile);
  if (!password.ok) return refuse(password.message);
  const key = isEncrypted
    ? await decrypted(content.value, password.value, file)
    : await readHexKey(file);
  return key.ok ? store(place, key.value, password.value) : refuse(key.message);
}

/** Writes the key to a file and overwrites its bytes in memory; answers the exit code. */
async function store({ keystorePath }: Place, key: Uint8Array, password: string): Promise<number> {
  const folder = keystoreFolder(keystorePath);
  const written = await writeKeystore(folder, key, password);
  key.fill(0);
  if (!written.ok) return refuse(written.detail);
  print(`${written.value.address} ${written.value.file}`);
  say('Keep the file and its password: without both of them, what the key holds is lost.');
  return 0;
}

async function contentOf(file: string): Promise<Found<string>> {
  try {
    return found(await readFile(file, 'utf8'));
  } catch (error) {
    return wrong(`the key file cannot be read: ${messageOf(error)}`);
  }
}

async function decrypted(
  content: string,
  password: string,
  file: string,
): Promise<Found<Uint8Array>> {
  const key = await decryptKey(content, password);
  return key.ok ? key : wrong(`${file}: ${key.detail}`);
}

/** The password in the file, or asked for twice at the terminal. */
async function newPassword(file: string | null): Promise<Found<string>> {
  const first = await passwordOf(file, 'Password for the new key: ');
  if (!first.ok || file !== null) return first;
  const second = await passwordOf(null, 'The same again: ');
  if (!second.ok || second.value === first.value) return second;
  return wrong('the two passwords differ: nothing was written');
}

function drawKey(): Uint8Array {
  const key = randomBytes(32);
  return isPrivateKey(key) ? key : drawKey();
}
