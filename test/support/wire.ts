/**
 * A bad wire: what is sent stays on it until somebody delivers, loses or copies it, in any order. Whatever
 * was once sent may come again later.
 */
import type { Address } from '../../src/protocol/hex.ts';

export type Parcel = { from: Address; to: Address; payload: Uint8Array };
export type Wire = ReturnType<typeof createWire>;

/** `onSent` sees every parcel that is handed in. */
export function createWire(onSent: (parcel: Parcel) => void) {
  const flying: Parcel[] = [];
  const sent: Parcel[] = [];

  /** Takes the parcel out; `index` counts round. */
  function take(index: number): Parcel | undefined {
    return flying.splice(index % Math.max(flying.length, 1), 1)[0];
  }

  return {
    send(parcel: Parcel) {
      flying.push(parcel);
      sent.push(parcel);
      onSent(parcel);
    },
    size: () => flying.length,
    take,
    lose: (index: number) => void take(index),
    double(index: number) {
      const parcel = flying[index % Math.max(flying.length, 1)];
      if (parcel !== undefined) flying.push(parcel);
    },
    /** A parcel that is on the wire is replaced by what somebody makes of it. */
    forge(index: number, change: (payload: Uint8Array) => Uint8Array) {
      const parcel = take(index);
      if (parcel !== undefined) flying.push({ ...parcel, payload: change(parcel.payload) });
    },
    /** Something that was sent at any time is on the wire once more. */
    replay(index: number) {
      const parcel = sent[index % Math.max(sent.length, 1)];
      if (parcel !== undefined) flying.push(parcel);
    },
  };
}
