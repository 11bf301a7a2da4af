/** What a program gets from its surroundings: time, random bytes, and a log. A simulation passes in its own. */
export type Clock = {
  /** Milliseconds since 1970: what is written down and told. Somebody may set it, forward or back. */
  now(): number;
  /** Milliseconds since some moment, which never decrease: what pauses and ages are measured with. */
  elapsed(): number;
  /** Calls `work` every `ms` milliseconds until the returned function is called. */
  every(ms: number, work: () => void): () => void;
};

export type Chance = { bytes(count: number): Uint8Array };

export type Log = {
  info(fields: Record<string, unknown>, text: string): void;
  warn(fields: Record<string, unknown>, text: string): void;
  error(fields: Record<string, unknown>, text: string): void;
};

/** A random unsigned integer of 64 bits, never 0. */
export function drawUint64(chance: Chance): bigint {
  const drawn = Buffer.from(chance.bytes(8)).readBigUInt64BE();
  return drawn === 0n ? 1n : drawn;
}
