/** The blocks of the simulated chain, with what is looked up in them. */
import type { Hash } from '../../basics/hex.ts';
import type { Block, Receipt } from './blocks.ts';
import { createLogIndex } from './log-index.ts';
import type { Machine } from './machine.ts';

export function createBlockList(machine: Machine, firstNumber: bigint) {
  const blocks: Block[] = [];
  const byHash = new Map<Hash, Block>();
  const receipts = new Map<Hash, { block: Block; receipt: Receipt }>();
  const logs = createLogIndex();
  /** What the blocks before this one changed is forgotten. */
  let settledBlock = firstNumber;

  const newest = (): Block | null => blocks.at(-1) ?? null;
  function head(): Block {
    const block = newest();
    if (block === null) throw new Error('the simulated chain has no block');
    return block;
  }
  const at = (number: bigint): Block | null => blocks[Number(number - firstNumber)] ?? null;

  function expectKept(number: bigint): void {
    if (number < settledBlock)
      throw new Error(`the simulated chain has forgotten what was before block ${number}`);
  }

  return {
    newest,
    head,
    at,
    count: () => blocks.length,
    of: (hash: Hash): Block | null => byHash.get(hash) ?? null,
    mined: (hash: Hash): { block: Block; receipt: Receipt } | null => receipts.get(hash) ?? null,
    logs: logs.find,
    append(block: Block) {
      blocks.push(block);
      byHash.set(block.hash, block);
      for (const receipt of block.receipts)
        receipts.set(receipt.transaction.hash, { block, receipt });
      logs.append(block);
    },
    /**
     * Forgets what the blocks before this one changed, which of a large network takes hundreds of megabytes: nobody reads
     * the state before them, or replaces them.
     */
    settle(number: bigint): void {
      for (const block of blocks) if (block.number < number) block.changes.length = 0;
      settledBlock = number;
    },
    /** Takes the newest block away, with what it changed. */
    removeHead(): Block {
      const block = head();
      expectKept(block.number);
      for (const undo of block.changes.toReversed()) undo();
      blocks.pop();
      byHash.delete(block.hash);
      for (const { transaction } of block.receipts) receipts.delete(transaction.hash);
      logs.remove(block);
      return block;
    },
    /** The result of `read` on the state as it was after this block. */
    readAt<T>(number: bigint, read: () => T): T {
      const block = at(number);
      if (block === null) throw new Error(`the simulated chain has no block ${number}`);
      expectKept(number + 1n);
      const later = blocks.slice(Number(number - firstNumber) + 1);
      for (const { changes } of later.toReversed()) for (const undo of changes.toReversed()) undo();
      try {
        machine.stand(block.number, block.timestamp);
        return read();
      } finally {
        for (const { changes } of later) for (const redo of changes) redo();
      }
    },
  };
}
