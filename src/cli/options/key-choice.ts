/** The options for the node's key. */
import type { Address } from '../../basics/hex.ts';
import { optional, type Read } from './settings.ts';
import { address, text } from './values.ts';

/** The options that choose a key; null when an option was not given. */
export type KeyChoice = {
  keystorePath: string | null;
  address: Address | null;
  passwordFile: string | null;
};
export const KEYSTORE_PATH = optional(
  '--keystore-path <dir>',
  'folder of encrypted keys (default: "keystore" in the data folder of this user)',
  text,
);
export const ADDRESS = optional(
  '--address <address>',
  'which key of the keystore; may be left out when there is only one',
  address,
);
export const PASSWORD_FILE = optional(
  '--password-file <file>',
  'file with the password of the key (default: ask on the terminal)',
  text,
);

export function keyChoiceOf(read: Read): KeyChoice {
  return {
    keystorePath: read(KEYSTORE_PATH),
    address: read(ADDRESS),
    passwordFile: read(PASSWORD_FILE),
  };
}
