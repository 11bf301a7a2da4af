/**
 * Transactions that a node orders: in time, with the contract's deadline, only once, and kept until they are done
 * or can no longer be done.
 */

import * as v from 'valibot';
import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import { type Address, isHexOf } from '../../../basics/hex.ts';
import type { Batch, JobRow } from '../../../store/base/batch.ts';
import { decode } from '../../../store/base/codec.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'channelOf' | 'head' | 'machine' | 'tokenNetwork'>;

const ORDER = v.looseObject({
  type: v.string(),
  deadlineBlock: v.nullish(v.bigint()),
  tokenNetwork: v.optional(v.custom<Address>((given) => isHexOf(given, 20))),
  channelId: v.optional(v.bigint()),
  expiration: v.optional(v.bigint()),
});
type Order = v.InferOutput<typeof ORDER>;
type Open = { type: string; content: string; sinceBlock: bigint };

/** The fields of an order that do not say what is to be done. */
const ASIDE = new Set(['key', 'from', 'deadlineBlock']);

/** What brings tokens, and may wait as long as they are worth less than its gas, or nothing. */
const PAYOUTS = new Set(['tx.settle', 'tx.unlock']);

/** Blocks in which an order is done when nothing is in its way. */
const PATIENCE = 20n;

export function createOrders({ channelOf, head, machine, tokenNetwork: money }: Needs): Oracle {
  /** The orders of each node that it has not seen done, by the order's key. */
  const open = new Map<string, Map<string, Open>>();

  function check(who: string, order: Order, { block }: Batch) {
    const { type, deadlineBlock, tokenNetwork, channelId, expiration } = order;
    const facts =
      channelId === undefined || tokenNetwork === undefined
        ? null
        : channelOf(channelActorId({ tokenNetwork, channelId }));
    if (type === 'tx.settle' && facts?.state === 'closed' && block <= facts.settle)
      throw new Violation(23, who, `${who} settles ${channelId} when ${block} is confirmed`);
    const least = block + (machine(who)?.revealTimeout ?? 0n);
    if (type === 'tx.withdraw' && expiration !== undefined && expiration < least)
      throw new Violation(26, who, `${who} begins at ${block} what no block may take in time`);
    const last =
      type === 'tx.updateProof' && facts?.state === 'closed'
        ? facts.settle
        : type === 'tx.withdraw' && expiration !== undefined
          ? expiration - 1n
          : null;
    if (last !== null && (deadlineBlock ?? last + 1n) > last)
      throw new Violation(25, who, `${who} holds ${type} to be in time until ${deadlineBlock}`);
  }

  function add(who: string, { key, body }: JobRow, batch: Batch) {
    const order = v.parse(ORDER, decode(body));
    check(who, order, batch);
    const orders = getOrMake(open, who, () => new Map<string, Open>());
    const content = Object.entries(order)
      .filter(([name]) => !ASIDE.has(name))
      .map(([name, value]) => `${name} ${typeof value === 'object' ? '' : String(value)}`)
      .join();
    for (const [other, known] of orders)
      if (other !== key && known.content === content && order.channelId !== undefined)
        throw new Violation(26, who, `${who} asks for ${order.type} twice at once`);
    if (PAYOUTS.has(order.type) && order.tokenNetwork !== money) return;
    orders.set(key, { type: order.type, content, sinceBlock: head() });
  }

  return {
    // Back at the fork a node orders everything once more, whatever is under way; other rules check what is sent.
    replaced: (who) => void open.delete(who),
    commit(who, batch) {
      for (const row of batch.jobs) add(who, row, batch);
      for (const key of batch.jobsDone) open.get(who)?.delete(key);
    },
    end() {
      for (const [who, orders] of open) {
        const left = [...orders.values()].find(({ sinceBlock }) => sinceBlock + PATIENCE < head());
        if (left !== undefined && machine(who)?.isFit)
          throw new Violation(21, who, `${who} never gets ${left.type} done`);
      }
    },
  };
}
