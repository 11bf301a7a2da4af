/**
 * How many secrets go on chain together, and what that takes: for the queue, which puts registrations that wait at
 * the same time into one transaction, and for the limits on what may have to be registered. Pure.
 */

/**
 * Gas that is set aside for a transaction that registers secrets: so much for itself, and for each secret.
 * Measured on anvil: 21,684 and 24,635, the same for 2 and for 200 secrets that are all new (a secret that
 * is known takes 3,200). A tenth is on top, for other compilers and prices.
 */
const GAS_OF_BATCH = 30_000n;
const GAS_OF_SECRET = 27_500n;

/**
 * Secrets that one transaction registers at most: 2.78 million gas, not a tenth of a block of 30 million.
 * A larger one would be left out of blocks that are nearly full, and would hold up what comes after it.
 */
export const MOST_SECRETS_IN_BATCH = 100;

/**
 * Gas of one block that this account counts on: a fifth of a block of 30 million. The base fee steers blocks to be
 * half full, and a node that must register in a hurry is seldom alone: partners that close many channels at once do
 * so with all their neighbours. Updates and closes take their gas besides this.
 */
export const GAS_PER_BLOCK = 6_000_000n;

/** Gas to set aside for one transaction that registers so many secrets. */
export function gasOfBatch(secrets: number): bigint {
  return GAS_OF_BATCH + GAS_OF_SECRET * BigInt(secrets);
}

/** Gas to set aside for so many secrets in as few transactions as they need. */
export function gasOfSecrets(secrets: number): bigint {
  const batches = Math.ceil(secrets / MOST_SECRETS_IN_BATCH);
  return GAS_OF_BATCH * BigInt(batches) + GAS_OF_SECRET * BigInt(secrets);
}

/** Secrets of a transaction that may take so much gas: at least one, at most a whole batch. */
export function secretsWithin(gas: bigint): number {
  const room = Number((gas - GAS_OF_BATCH) / GAS_OF_SECRET);
  return Math.max(1, Math.min(room, MOST_SECRETS_IN_BATCH));
}

/** Registrations that this account counts on in one block: whole batches, and one more with the gas that is left. */
export function secretsPerBlock(gasPerBlock = GAS_PER_BLOCK): number {
  const batches = gasPerBlock / gasOfBatch(MOST_SECRETS_IN_BATCH);
  const rest = gasPerBlock - batches * gasOfBatch(MOST_SECRETS_IN_BATCH);
  const more = rest < gasOfBatch(1) ? 0 : secretsWithin(rest);
  return Number(batches) * MOST_SECRETS_IN_BATCH + more;
}
