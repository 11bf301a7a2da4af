/** Blocks on top of one before the nodes of a devnet count it. */
export const CONFIRMATIONS = 1n;
