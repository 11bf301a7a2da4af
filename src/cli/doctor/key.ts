/** Checks whether the key can be found and opened. */
import type { Address } from '../../basics/hex.ts';
import { listKeystore, readKeystore, readPasswordFile } from '../../signer/keystore.ts';
import { chooseAddress, keystoreFolder } from '../options/key.ts';
import type { KeyChoice } from '../options/node-options.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** `file` and `address` are null when there is no such key. */
export type KeyFindings = { findings: Finding[]; address: Address | null; file: string | null };

/** Decrypts the key and overwrites it at once; without a password file it only checks that the key exists. */
export async function checkKey(choice: KeyChoice): Promise<KeyFindings> {
  const folder = keystoreFolder(choice.keystorePath);
  const chosen = await chooseAddress(folder, choice.address);
  if (!chosen.ok) {
    const advice = 'check --keystore-path and --address';
    return { findings: [failed('key', chosen.message, advice)], address: null, file: null };
  }
  const address = chosen.value;
  const listed = await listKeystore(folder);
  const entries = listed.ok ? listed.value : [];
  const file = entries.find((entry) => entry.address === address)?.file ?? null;
  const finding = await openKey(folder, address, choice.passwordFile);
  return { findings: [finding], address, file };
}

async function openKey(
  folder: string,
  address: Address,
  passwordFile: string | null,
): Promise<Finding> {
  if (passwordFile === null)
    return warning(
      'key',
      `${address} is there and was not opened`,
      'give --password-file to have it opened',
    );
  const password = await readPasswordFile(passwordFile);
  if (!password.ok)
    return failed(
      'key',
      `the password cannot be read: ${password.detail}`,
      'check --password-file',
    );
  const key = await readKeystore(folder, address, password.value);
  if (!key.ok) return failed('key', key.detail, 'check --password-file and --keystore-path');
  key.value.fill(0);
  return ok('key', `${address} can be opened`);
}
