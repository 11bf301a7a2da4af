/** The accounts of a devnet: names and fresh keys. */
import { randomBytes } from 'node:crypto';
import { isPrivateKey } from '../../signer/ecdsa.ts';
import { createSigner, type Signer } from '../../signer/signer.ts';

export type DevnetAccount = {
  name: string;
  signer: Signer;
  /** 32 bytes. The key is worth nothing outside this devnet, and is never shown all the same. */
  privateKey: Uint8Array;
};

const NAMES = [
  'alice',
  'bob',
  'carol',
  'dave',
  'erin',
  'frank',
  'grace',
  'heidi',
  'ivan',
  'judy',
  'kim',
  'leo',
  'mia',
  'nina',
  'oscar',
  'peggy',
  'quinn',
  'rupert',
  'sybil',
  'trent',
];

/** The name of the node at `index`, from 0. */
export function nameOf(index: number): string {
  return NAMES[index] ?? `node${index + 1}`;
}

/** Creates accounts with fresh keys. */
export function createAccounts(count: number): DevnetAccount[] {
  return Array.from({ length: count }, (_, index) => createAccount(nameOf(index)));
}

/** Creates an account with a fresh key. */
export function createAccount(name: string): DevnetAccount {
  const privateKey = drawKey();
  return { name, signer: createSigner(privateKey), privateKey };
}

function drawKey(): Uint8Array {
  const key = randomBytes(32);
  return isPrivateKey(key) ? key : drawKey();
}
