/** When a lock ends, and who may act on it when. Blocks are confirmed ones; protocol section 4.0. */

/**
 * Blocks within which a registration is mined once its transaction has been sent. A transaction with a deadline
 * offers three times the base fee, which six full blocks in a row (each raises it by an eighth) only double; a
 * transaction that others outbid is replaced meanwhile.
 */
export const BLOCKS_TO_BE_MINED = 6n;
/**
 * Blocks that may pass until this node acts on a block: the head that it acts on may be two blocks behind while it
 * asks and decides, and the contract pays only for a secret that is registered before the expiration, not in that
 * block.
 */
export const BLOCKS_TO_BE_SEEN = 3n;
/** The blocks that a reveal timeout must have besides the confirmations. */
export const MARGIN = BLOCKS_TO_BE_MINED + BLOCKS_TO_BE_SEEN;

/** The shortest reveal timeout that is accepted on any chain but those for development, in blocks. */
export const LEAST_REVEAL_TIMEOUT = 20n;
/** The shortest settle timeout that such a reveal timeout allows. */
export const LEAST_SETTLE_TIMEOUT = 2n * LEAST_REVEAL_TIMEOUT;

/**
 * The shortest reveal timeout, in blocks, with which a secret can still be registered in time. A node acts on
 * confirmed blocks, so the confirmations are already over when it begins. `floor`: a minimum that is demanded in any
 * case.
 */
export function leastRevealTimeout(confirmations: bigint, floor = 0n): bigint {
  const least = confirmations + MARGIN;
  return least > floor ? least : floor;
}

/**
 * Whether locks of a channel can be protected on chain: the secret can be registered in time, and a close with
 * an old balance proof be answered before the settlement.
 */
export function isEnoughTime(
  { revealTimeout, settleTimeout }: { revealTimeout: bigint; settleTimeout: bigint },
  least: bigint,
): boolean {
  return revealTimeout >= least && settleTimeout >= 2n * revealTimeout;
}

/**
 * Whether a standby that takes over after so many seconds of silence leaves half of the reveal timeout to bring on chain
 * what the node before it has promised.
 */
export function takesOverInTime(
  seconds: number,
  { revealTimeout, blockSeconds }: { revealTimeout: bigint; blockSeconds: number },
): boolean {
  return BigInt(Math.ceil(seconds / blockSeconds)) * 2n <= revealTimeout;
}

/** The expiration of a new lock. The minus one absorbs a block of difference between two nodes. */
export function lockExpiration(
  nowBlock: bigint,
  revealTimeout: bigint,
  lockTimeout: bigint | null,
): bigint {
  return nowBlock + (lockTimeout ?? 2n * revealTimeout) - 1n;
}

/** First block at which a payee who knows the secret can no longer wait for an off-chain unlock. */
export function dangerBlock(expiration: bigint, revealTimeout: bigint): bigint {
  return expiration - revealTimeout;
}

/** Whether that payee can still wait. */
export function isSafeToWait(expiration: bigint, revealTimeout: bigint, nowBlock: bigint): boolean {
  return nowBlock < dangerBlock(expiration, revealTimeout);
}

/**
 * First block at which the secret of a lock that is held since `sinceBlock` is late: half of the time in which it can be
 * waited for is over. The time of the payer, whose reveal timeout may be longer, is not over then.
 */
export function lateBlock(sinceBlock: bigint, danger: bigint): bigint {
  return danger > sinceBlock ? sinceBlock + (danger - sinceBlock + 1n) / 2n : danger;
}

/** First block at which the sender of a lock may declare it expired. */
export function senderRemovalBlock(expiration: bigint, confirmations: bigint): bigint {
  return expiration + 2n * confirmations;
}

/** First block at which the receiver of a lock accepts that it expired. */
export function receiverRemovalBlock(expiration: bigint, confirmations: bigint): bigint {
  return expiration + confirmations;
}

/** The reveal timeout of a node that was told nothing, and of a channel that has the default settle timeout ten times it. */
const USUAL_REVEAL_TIMEOUT = 50n;

/**
 * The longest lock that a mediator passes on, in blocks, whatever the settle timeout of the payer's channel: a lock keeps its
 * place, and the gas that is set aside for it, for as long as it lasts. Twice the default settle timeout that belongs to the
 * reveal timeout, and no less than twice the usual one.
 */
export const longestMediated = (revealTimeout: bigint): bigint =>
  20n * (revealTimeout > USUAL_REVEAL_TIMEOUT ? revealTimeout : USUAL_REVEAL_TIMEOUT);

/**
 * How many times as long as a usual lock one lasts: it counts so many times where payers share a channel. A usual lock lasts
 * for up to four reveal timeouts.
 */
export function timesUsual(lockTimeout: bigint, revealTimeout: bigint): bigint {
  const usual = 4n * (revealTimeout > USUAL_REVEAL_TIMEOUT ? revealTimeout : USUAL_REVEAL_TIMEOUT);
  return lockTimeout > usual ? (lockTimeout + usual - 1n) / usual : 1n;
}

/**
 * Whether a lock of `lockTimeout` blocks fits a channel: longer than the reveal timeout, not longer than
 * the settle timeout, else the channel could be settled before the lock ends.
 */
export function isLockTimeoutAllowed(
  lockTimeout: bigint,
  revealTimeout: bigint,
  settleTimeout: bigint,
): boolean {
  return lockTimeout > revealTimeout && lockTimeout <= settleTimeout;
}
