/**
 * A registration that a payer forces on a mediator is charged to that payer in the same commit: one that dies after it, and
 * before the charge, would let a partner burn its gas for nothing.
 */
import type { Address } from '../../../basics/hex.ts';
import type { Batch } from '../../../store/base/batch.ts';
import type { Oracle } from '../oracle.ts';
import { stateOf } from '../states.ts';
import { Violation } from '../violation.ts';

/** Blocks in which a partner gets one registration back: docs/limits.md. */
const BLOCKS_EACH = 300n;
/** What is known of one node: how often mediators have registered, until when accounts are short, and the last block. */
type Known = { jobs: Map<string, number>; fullBlocks: Map<string, bigint>; block: bigint };

export function createForced(): Oracle {
  const machines = new Map<string, Known>();

  /** The payers that have to be charged because of the batch, and how often. */
  function debtorsIn({ actors, retired }: Batch, { jobs }: Known) {
    const debtors = new Map<Address, bigint>();
    for (const row of actors) {
      const state = row.kind === 'mediator' ? stateOf(row) : null;
      if (state?.kind !== 'mediator') continue;
      const { payer } = state.context;
      if (state.context.jobs > 0 && (jobs.get(row.id) ?? 0) === 0)
        debtors.set(payer.partner, (debtors.get(payer.partner) ?? 0n) + 1n);
      jobs.set(row.id, state.context.jobs);
    }
    for (const id of retired) jobs.delete(id);
    return debtors;
  }

  function check(who: string, debtors: ReadonlyMap<Address, bigint>, batch: Batch, known: Known) {
    for (const [payer, times] of debtors) {
      const row = batch.forced.findLast(({ account }) => account === payer);
      const before = known.fullBlocks.get(payer) ?? 0n;
      const least = (before > known.block ? before : known.block) + times * BLOCKS_EACH;
      if (row !== undefined && row.fullBlock >= least) continue;
      const text = `${who} registers ${times} secrets for ${payer}`;
      throw new Violation(
        36,
        who,
        `${text}, and charges ${row === undefined ? 'nothing' : 'less'}`,
      );
    }
  }

  return {
    commit(who, batch) {
      const known = machines.get(who) ?? { jobs: new Map(), fullBlocks: new Map(), block: 0n };
      machines.set(who, known);
      const debtors = debtorsIn(batch, known);
      if (debtors.size > 0) check(who, debtors, batch, known);
      for (const { account, fullBlock } of batch.forced) known.fullBlocks.set(account, fullBlock);
      known.block = batch.block;
    },
  };
}
