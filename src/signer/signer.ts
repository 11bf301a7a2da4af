import { hashMessage, hashTypedData, serializeTransaction } from 'viem';
import { type LocalAccount, toAccount } from 'viem/accounts';
import { type Address, fromHex, type Hex, type Signature, toHex } from '../basics/hex.ts';
import { keccak256 } from '../protocol/hash.ts';
import { addressOfPublicKey } from '../protocol/public-key.ts';
import { isPrivateKey, publicKeyOf, sharedSecret, sign as signDigest } from './ecdsa.ts';

/** The only holder of the key. It has no field that contains the key, so no log and no dump can show it. */
export type Signer = {
  address: Address;
  /** 65 bytes, 4 | x | y; the address is their hash. */
  publicKey: Uint8Array;
  /** Signs 32 bytes; v is 27 or 28. The same digest always gives the same signature. */
  sign(digest: Uint8Array): Signature;
  /**
   * 32 bytes that this key has in common with a compressed public key, which may be anybody's; null when the bytes
   * are no public key. They are never shown as they are: keys are derived from them, and they are overwritten after
   * use.
   */
  sharedSecret(publicKey: Uint8Array): Uint8Array | null;
  /** The serialized and signed transaction, ready to be sent. Source: viem's local account. */
  signTransaction: LocalAccount['signTransaction'];
  /** The same key in viem's form, for its wallet client. */
  account: LocalAccount;
  /** Overwrites the key; every use of it afterwards throws. */
  wipe(): void;
};

/** Keeps a copy of the 32 bytes; the caller may overwrite its own. Throws when they are no private key. */
export function createSigner(privateKey: Uint8Array): Signer {
  if (!isPrivateKey(privateKey)) throw new Error('these bytes are not a private key');
  const key = Uint8Array.from(privateKey);
  const publicKey = publicKeyOf(key);
  const address = addressOfPublicKey(publicKey);
  let wiped = false;

  /** The key; throws once it was wiped. */
  const unwiped = (): Uint8Array => {
    if (wiped) throw new Error(`the key of ${address} was wiped`);
    return key;
  };
  const sign = (digest: Uint8Array): Signature => toHex(signDigest(digest, unwiped()));
  const account = accountOf(address, sign);
  return {
    address,
    publicKey,
    sign,
    sharedSecret: (other) => sharedSecret(other, unwiped()),
    signTransaction: account.signTransaction,
    account,
    wipe() {
      wiped = true;
      key.fill(0);
    },
  };
}

/** viem's account for the key that `sign` signs with, over digests of 32 bytes. */
export function accountOf(address: Address, sign: (digest: Uint8Array) => Signature): LocalAccount {
  return toAccount({
    address,
    sign: async ({ hash }) => sign(fromHex(hash)),
    signMessage: async ({ message }) => sign(fromHex(hashMessage(message))),
    signTypedData: async (typedData) => sign(fromHex(hashTypedData(typedData))),
    async signTransaction(transaction, options) {
      const serialize = options?.serializer ?? serializeTransaction;
      const digest = keccak256(fromHex(await serialize(transaction)));
      return serialize(transaction, splitSignature(sign(digest)));
    },
  });
}

/** In the form of viem's serializer; a legacy transaction is made from v, all later ones from the parity. */
function splitSignature(signature: Signature) {
  const yParity = signature.endsWith('1c') ? 1 : 0;
  const r: Hex = `0x${signature.slice(2, 66)}`;
  const s: Hex = `0x${signature.slice(66, 130)}`;
  return { r, s, yParity, v: BigInt(27 + yParity) };
}
