/**
 * Gas of a transaction: data, storage, logs and calls by the chain's rules (EIP-2028, 2200, 2929, 3529, 7623),
 * computation by measured numbers. Right within a few percent.
 */
import type { Hex } from '../../../basics/hex.ts';

export type Meter = {
  /** Begins a transaction to this address; everything is counted until `end`. */
  begin(to: string): void;
  isOn(): boolean;
  charge(gas: number): void;
  read(slot: string): void;
  write(slot: string, change: { from: unknown; to: unknown; empty: unknown }): void;
  /** One contract calls another. */
  call(address: string): void;
  log(topics: number, bytes: number): void;
  /** `refund`: gas that is given back when the transaction succeeds, before it is limited. */
  end(): { used: number; refund: number };
};

const COLD_SLOT = 2_100;
const COLD_ACCOUNT = 2_600;
const WARM = 100;
const NEW_SLOT = 20_000;
const CHANGED_SLOT = 2_900;
const CLEARED_REFUND = 4_800;
const LOG = 375;
const LOG_BYTE = 8;

export function createMeter(): Meter {
  let isCounting = false;
  let used = 0;
  let refund = 0;
  const warm = new Set<string>();
  /** The value of each slot when the transaction began. */
  const originals = new Map<string, unknown>();

  function touch(name: string, cold: number): number {
    if (warm.has(name)) return 0;
    warm.add(name);
    return cold;
  }

  function refundFor(original: unknown, { from, to, empty }: Parameters<Meter['write']>[1]) {
    if (original !== empty) {
      if (from === empty) refund -= CLEARED_REFUND;
      if (to === empty) refund += CLEARED_REFUND;
    }
    if (original === from || to !== original) return;
    refund += original === empty ? NEW_SLOT - WARM : CHANGED_SLOT - WARM;
  }

  return {
    begin(to) {
      isCounting = true;
      used = refund = 0;
      originals.clear();
      warm.clear();
      warm.add(to);
    },
    isOn: () => isCounting,
    charge(gas) {
      used += gas;
    },
    read(slot) {
      used += touch(slot, COLD_SLOT - WARM) + WARM;
    },
    write(slot, change) {
      const { from, to, empty } = change;
      used += touch(slot, COLD_SLOT);
      if (!originals.has(slot)) originals.set(slot, from);
      const original = originals.get(slot);
      if (from === to) {
        used += WARM;
        return;
      }
      if (original !== from) used += WARM;
      else used += original === empty ? NEW_SLOT : CHANGED_SLOT;
      refundFor(original, change);
    },
    call(address) {
      used += touch(address, COLD_ACCOUNT - WARM) + WARM;
    },
    log(topics, bytes) {
      used += LOG + LOG * topics + LOG_BYTE * bytes;
    },
    end() {
      isCounting = false;
      return { used, refund };
    },
  };
}

const TRANSACTION = 21_000;
const ZERO_BYTE = 4;
const OTHER_BYTE = 16;
const FLOOR_ZERO_BYTE = 10;
const FLOOR_OTHER_BYTE = 40;

/** Gas of a transaction before it does anything (`intrinsic`), and the least that it costs (`floor`). */
export function gasOfData(data: Hex): { intrinsic: number; floor: number } {
  let zeros = 0;
  for (let at = 2; at < data.length; at += 2)
    if (data.charCodeAt(at) === 0x30 && data.charCodeAt(at + 1) === 0x30) zeros += 1;
  const others = (data.length - 2) / 2 - zeros;
  return {
    intrinsic: TRANSACTION + ZERO_BYTE * zeros + OTHER_BYTE * others,
    floor: TRANSACTION + FLOOR_ZERO_BYTE * zeros + FLOOR_OTHER_BYTE * others,
  };
}

/** Gas that is paid for: refunds give back at most a fifth of the used gas. */
export function gasPaid(used: number, refund: number, floor: number): number {
  return Math.max(used - Math.min(refund, Math.floor(used / 5)), floor);
}
