/** The keys and signatures of the real world, in the place of the quick ones: for a part of the runs. */
import { keccak256 } from '../../protocol/hash.ts';
import { addressOfCompressed, recover } from '../../signer/ecdsa.ts';
import { createSigner } from '../../signer/signer.ts';
import type { SimulatedKeys } from './fast-crypto.ts';

/** The keys follow from the name of the world, and are everybody's who knows it. */
export function createRealCrypto(world: string): SimulatedKeys {
  return {
    signerOf: (index) => createSigner(keccak256(Buffer.from(`${world}/${index}`))),
    recover,
    addressOf: addressOfCompressed,
  };
}
