/** Decides who wins the lottery of an echo node. */

import { fromHex, type Signature, toHex } from '../../basics/hex.ts';
import { keccak256 } from '../../protocol/hash.ts';
import { type Field, pack } from '../../protocol/wire/packing.ts';
import type { LotteryDraw } from './rules.ts';

/** No message layout of the protocol has this length, so the key signs nothing else with this digest. */
const PURPOSE = keccak256(Buffer.from('sluice echo node: seed of the lottery'));

/**
 * Draws by a hash of the entries with a seed that only the holder of the key can know: nobody can choose an entry so
 * that it wins, and the same entries have the same winner after a restart. The signature from which the seed is made
 * must never leave the process.
 */
export function createDraw(sign: (digest: Uint8Array) => Signature): LotteryDraw {
  const seed = toHex(keccak256(fromHex(sign(PURPOSE))));
  return ({ token, round, entries }) => {
    const of = entries.flatMap(({ initiator, paymentId }): Field[] => [
      ['address', initiator],
      ['u64', paymentId],
    ]);
    // The round is hashed too, because the same seven payers may enter again with the same identifiers.
    const packed = pack([['bytes32', seed], ['address', token], ['u256', BigInt(round)], ...of]);
    return Number(BigInt(toHex(keccak256(packed))) % BigInt(entries.length));
  };
}
