/** The contract's names for a pair of participants and for one direction of a channel. */

import type { Address, Hash } from '../../basics/hex.ts';
import { keccakHex } from '../hash.ts';
import { pack } from '../wire/packing.ts';

/** Key of the pair in the token network, the same for both orders: the numerically lower address first. */
export function participantsHash(a: Address, b: Address): Hash {
  const inOrder = a.toLowerCase() < b.toLowerCase();
  return keccakHex(
    pack([
      ['address', inOrder ? a : b],
      ['address', inOrder ? b : a],
    ]),
  );
}

/** Key of the tokens that stay locked after the settlement for `receiver`, out of `sender`'s transfers. */
export function unlockIdentifier(channelId: bigint, sender: Address, receiver: Address): Hash {
  return keccakHex(
    pack([
      ['u256', channelId],
      ['address', sender],
      ['address', receiver],
    ]),
  );
}
