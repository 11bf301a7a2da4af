/** Real keys and signatures in place of the fast ones, for a part of the runs. */

import { keccak256 } from '../../protocol/hash.ts';
import { addressOfCompressed, recover } from '../../signer/ecdsa.ts';
import { AES_CIPHER } from '../../signer/seal.ts';
import { createSigner } from '../../signer/signer.ts';
import type { SimulatedKeys } from './fast-crypto.ts';

/** The keys follow from the name of the world, and so are known to everybody who knows the name. */
export function createRealCrypto(world: string): SimulatedKeys {
  return {
    signerOf: (index) => createSigner(keccak256(Buffer.from(`${world}/${index}`))),
    recover,
    addressOf: addressOfCompressed,
    cipher: AES_CIPHER,
  };
}
