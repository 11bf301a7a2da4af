/** Fixed-width big-endian packing, as every signed or hashed layout of the protocol is built. */
import type { Address, Hash, Hex, Signature } from '../../basics/hex.ts';

/** One value of a layout with its width: 1, 8 or 32 bytes of integer, 20, 32 or 65 bytes as they are. */
export type Field =
  | readonly ['u8', number]
  | readonly ['u64', bigint]
  | readonly ['u256', bigint]
  | readonly ['address', Address]
  | readonly ['bytes32', Hash]
  | readonly ['signature', Signature];

const WIDTH = { u8: 1, u64: 8, u256: 32, address: 20, bytes32: 32, signature: 65 } as const;

/** Value of a hex digit by its character code, -1 for everything else. */
const DIGIT = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value++) {
  DIGIT[value.toString(16).charCodeAt(0)] = value;
  DIGIT[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

/**
 * The fields one after the other. Throws on a value that does not fit its width: a layout with a
 * cut-off number would be a valid signature for something else.
 */
export function pack(fields: readonly Field[]): Uint8Array {
  let size = 0;
  for (const field of fields) size += WIDTH[field[0]];
  // Not cleared: the loop below writes every byte, or throws.
  const out = Buffer.allocUnsafe(size);
  const view = new DataView(out.buffer, out.byteOffset, size);
  let at = 0;
  for (const [kind, value] of fields) {
    const width = WIDTH[kind];
    if (typeof value === 'string') {
      writeHex(view, at, value, width);
    } else if (typeof value === 'number') {
      if (width !== WIDTH.u8 || (value & 0xff) !== value)
        throw new RangeError('packing: not a byte');
      view.setUint8(at, value);
    } else {
      const isInteger = width === WIDTH.u64 || width === WIDTH.u256;
      if (!isInteger || BigInt.asUintN(8 * width, value) !== value)
        throw new RangeError(`packing: not ${8 * width} bits`);
      // DataView keeps the low 64 bits of what it is given.
      view.setBigUint64(at + width - 8, value);
      if (width === WIDTH.u256) {
        const isSmall = BigInt.asUintN(64, value) === value;
        view.setBigUint64(at, isSmall ? 0n : value >> 192n);
        view.setBigUint64(at + 8, isSmall ? 0n : value >> 128n);
        view.setBigUint64(at + 16, isSmall ? 0n : value >> 64n);
      }
    }
    at += width;
  }
  return out;
}

function writeHex(view: DataView, at: number, hex: Hex, width: number): void {
  if (hex.length !== 2 + 2 * width) throw new RangeError(`packing: not ${width} bytes of hex`);
  let seen = 0;
  for (let index = 0; index < width; index++) {
    const high = DIGIT[hex.charCodeAt(2 + 2 * index)] ?? -1;
    const low = DIGIT[hex.charCodeAt(3 + 2 * index)] ?? -1;
    seen |= high | low;
    view.setUint8(at + index, (high << 4) | low);
  }
  if (seen < 0) throw new RangeError('packing: not a hex digit');
}
