/** How the node's key is read from a keystore or a file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Address, fromHex, isHexOf } from '../../basics/hex.ts';
import { messageOf } from '../../basics/message-of.ts';
import { isPrivateKey } from '../../signer/ecdsa.ts';
import type { KeystoreResult } from '../../signer/key-file.ts';
import { listKeystore, readKeystore, readPasswordFile } from '../../signer/keystore.ts';
import { createSigner, type Signer } from '../../signer/signer.ts';
import { dataFolder } from '../process/folders.ts';
import { type Found, found, wrong } from '../process/found.ts';
import { askHidden, isTerminal } from '../process/terminal.ts';
import type { KeyChoice } from './node-options.ts';

export function keystoreFolder(given: string | null): string {
  return given ?? join(dataFolder(), 'keystore');
}

/** Decrypts the key. Takes about a second, because the decryption is slow on purpose. */
export async function unlock(choice: KeyChoice): Promise<Found<Signer>> {
  const folder = keystoreFolder(choice.keystorePath);
  const wanted = await chooseAddress(folder, choice.address);
  if (!wanted.ok) return wanted;
  const password = await passwordOf(choice.passwordFile, `Password of ${wanted.value}: `);
  if (!password.ok) return password;
  const key = await readKeystore(folder, wanted.value, password.value);
  if (!key.ok) return wrong(keyProblem(key));
  return found(signerOf(key.value));
}

/** The given address if the folder has its key; without one the only address in the folder. */
export async function chooseAddress(
  folder: string,
  given: Address | null,
): Promise<Found<Address>> {
  const listed = await listKeystore(folder);
  if (!listed.ok && listed.problem !== 'not_found') return wrong(listed.detail);
  const entries = listed.ok ? listed.value : [];
  const known = entries.flatMap((entry) => entry.address ?? []);
  const nameless = entries.filter((entry) => entry.address === null);
  if (entries.length === 0)
    return wrong(
      `there is no key in ${folder}: make one with "sluice account new --keystore-path ${folder}", or give another --keystore-path`,
    );
  // Only its password tells whether a nameless file holds the key.
  if (given !== null && (known.includes(given) || nameless.length > 0)) return found(given);
  if (given !== null)
    return wrong(`${folder} holds no key of ${given}: it holds ${known.join(', ')}`);
  return onlyOne(folder, known, nameless);
}

function onlyOne(
  folder: string,
  known: readonly Address[],
  nameless: readonly { file: string }[],
): Found<Address> {
  const [only] = known;
  if (only !== undefined && known.length === 1 && nameless.length === 0) return found(only);
  const [silent] = nameless;
  return wrong(
    known.length === 0 && silent !== undefined
      ? `${silent.file} has no field "address": say with --address whose key it holds`
      : `${folder} holds several keys, choose one with --address: ${known.join(', ')}`,
  );
}

function keyProblem({ problem, detail }: KeystoreResult<never> & { ok: false }): string {
  if (problem !== 'wrong_password') return detail;
  return `${detail}: check --password-file, or the file of the key`;
}

/** The password, from the file or else asked for at the terminal; never empty. */
export async function passwordOf(file: string | null, question: string): Promise<Found<string>> {
  if (file === null && !isTerminal())
    return wrong('there is no terminal to ask for the password on: give it with --password-file');
  const given = file === null ? await asked(question) : await readPasswordFile(file);
  if (!given.ok) return wrong(`the password file cannot be read: ${given.detail}`);
  if (given.value === '') return wrong('the password must not be empty');
  return given;
}

async function asked(question: string): Promise<{ ok: true; value: string }> {
  return found((await askHidden(question)) ?? '');
}

/** The key in a file of 64 hex digits, with or without 0x. The caller overwrites it after use. */
export async function readHexKey(file: string): Promise<Found<Uint8Array>> {
  let content: string;
  try {
    content = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    return wrong(`the key file cannot be read: ${messageOf(error)}`);
  }
  const hex = content.startsWith('0x') ? content : `0x${content}`;
  const key = isHexOf(hex, 32) ? fromHex(hex) : null;
  if (key !== null && isPrivateKey(key)) return found(key);
  return wrong(`${file} does not hold a private key (64 hex digits)`);
}

/** Makes the signer of the key, and overwrites the key's bytes. */
export function signerOf(key: Uint8Array): Signer {
  const signer = createSigner(key);
  key.fill(0);
  return signer;
}
