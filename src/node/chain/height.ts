/** How far the confirmed blocks are applied. The follower moves it; everybody else only reads it. */
export type ChainHeight = ReturnType<typeof createChainHeight>;

/** `startBlock`: the newest block of which logs were applied before. */
export function createChainHeight(startBlock: bigint) {
  let nowBlock = startBlock;
  let wholeBlock = startBlock;
  return {
    /** The newest confirmed block of which logs are applied. */
    nowBlock: () => nowBlock,
    /** The newest confirmed block of which all logs are applied. */
    wholeBlock: () => wholeBlock,
    /** Logs up to this block are applied, perhaps not all of its own. */
    reach(block: bigint): void {
      nowBlock = block;
    },
    /** All logs up to this block are applied. */
    complete(block: bigint): void {
      wholeBlock = block;
    },
  };
}
