/** What single nodes do at given blocks of a scenario. */
import * as v from 'valibot';
import {
  type Amount,
  blocks,
  list,
  maybe,
  nodeIndex,
  object,
  oneOf,
  selection,
  word,
} from './values.ts';

/** A step that one node takes in its channel with another. */
function inChannel<const Kind extends string, const Entries extends v.ObjectEntries>(
  kind: Kind,
  entries: Entries,
) {
  return object({
    do: v.literal(kind),
    atBlock: blocks(0),
    node: nodeIndex,
    partner: nodeIndex,
    ...entries,
  });
}

/** A step of whole nodes. */
function ofNodes<const Kind extends string, const Entries extends v.ObjectEntries>(
  kind: Kind,
  entries: Entries,
) {
  return object({ do: v.literal(kind), atBlock: blocks(0), nodes: selection, ...entries });
}

export function stepList(amount: Amount) {
  const step = oneOf('do', [
    inChannel('open_channel', {
      deposit: v.pipe(amount, v.description('Of the node')),
      partnerDeposit: v.optional(amount, 0),
      settleTimeout: maybe(blocks(1, 100_000)),
    }),
    inChannel('deposit', { amount }),
    inChannel('withdraw', { amount }),
    inChannel('close', {}),
    inChannel('await_settled', {
      within: v.pipe(blocks(1), v.description('Blocks from this one on; later is a failure')),
    }),
    object({
      do: v.literal('pay'),
      atBlock: blocks(0),
      node: nodeIndex,
      to: nodeIndex,
      amount,
      lockTimeout: maybe(blocks(1, 100_000)),
      expect: v.optional(word(['success', 'failure', 'any']), 'any'),
    }),
    /** Closes all channels of these nodes, and settles them. */
    ofNodes('leave', {}),
    /** In an orderly way. */
    ofNodes('stop', {}),
    ofNodes('start', {}),
    /** Without any farewell. */
    ofNodes('kill', {}),
    /** The process stands still, as a laptop that was shut. */
    ofNodes('pause', { blocks: blocks(1) }),
  ]);
  return list(step, 10_000);
}
export type Step = v.InferOutput<ReturnType<typeof stepList>>[number];
