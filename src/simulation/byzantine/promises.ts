/** What an initiator seals for the target of a payment, with the key of one node. */
import { type Address, fromHex, type Hex, toHex } from '../../basics/hex.ts';
import { compressedKey } from '../../protocol/public-key.ts';
import {
  type Promised,
  promiseIn,
  promiseText,
  type SealedFor,
  type SealPlace,
  sealedFor,
  secretInfo,
} from '../../protocol/wire/envelope.ts';
import { type Cipher, NO_SALT } from '../../signer/seal.ts';

type Options = {
  own: Address;
  place: SealPlace;
  cipher: Cipher;
  /** 65 bytes; null: no node has this address. */
  publicKeyOf(address: Address): Uint8Array | null;
  sharedSecret(compressed: Uint8Array): Uint8Array | null;
};
export type Promises = ReturnType<typeof createPromises>;

export function createPromises({ own, place, cipher, publicKeyOf, sharedSecret }: Options) {
  function keysFor(target: Address) {
    const publicKey = publicKeyOf(target);
    const shared = publicKey === null ? null : sharedSecret(compressedKey(publicKey));
    return shared && cipher.sealKeys(shared, NO_SALT, secretInfo(place, own, target));
  }

  return {
    seal(target: Address, payment: SealedFor, promised: Promised): Hex | null {
      const keys = keysFor(target);
      return keys && toHex(cipher.sealSecret(keys, sealedFor(payment), promiseText(promised)));
    },
    /** What this node has sealed; null: it is not of this payment. */
    open(target: Address, payment: SealedFor, sealed: Hex): Promised | null {
      const keys = keysFor(target);
      const text = keys && cipher.unsealSecret(keys, sealedFor(payment), fromHex(sealed));
      return text && promiseIn(text);
    },
  };
}
