/** What single nodes do at given blocks of a scenario. */
import * as v from 'valibot';
import { tokenUnits } from '../numbers/quantities.ts';
import {
  type Amount,
  blockAt,
  blocks,
  list,
  MOST_BLOCKS,
  maybe,
  nodeIndex,
  object,
  oneOf,
  quantity,
  selection,
  tag,
  whole,
  word,
} from './values.ts';

const EXPECTED = ['success', 'failure', 'any'] as const;
export type Expected = (typeof EXPECTED)[number];
/** How what an owner asks for must end. */
const expect = v.optional(word(EXPECTED), 'any');

/** Whether the end is as expected. `code`: why it failed; null: it did not. */
export const isExpected = (expected: Expected, code: string | null): boolean =>
  expected === 'any' || (expected === 'success') === (code === null);

/** A step that one node makes in its channel with another. `what` is for the documentation. */
function inChannel<const Kind extends string, const Entries extends v.ObjectEntries>(
  kind: Kind,
  what: string,
  entries: Entries,
) {
  const channel = { node: nodeIndex, partner: nodeIndex };
  return object({ do: tag(kind, what), atBlock: blockAt(), ...channel, ...entries });
}

/** A step in which one node moves tokens to or from the contract that keeps them for services. */
function ofUserDeposit<const Kind extends string>(kind: Kind, what: string) {
  const amount = quantity(tokenUnits(18), 'amount of service tokens');
  return object({ do: tag(kind, what), atBlock: blockAt(), node: nodeIndex, amount, expect });
}

/** A step of whole nodes. */
function ofNodes<const Kind extends string, const Entries extends v.ObjectEntries>(
  kind: Kind,
  what: string,
  entries: Entries,
) {
  return object({ do: tag(kind, what), atBlock: blockAt(), nodes: selection, ...entries });
}

/** The largest identifier that can be written as a number; identifiers have 64 bits. */
const MOST_IDENTIFIER = Number.MAX_SAFE_INTEGER;
const timeout = maybe(blocks(1, 100_000, 'Absent: as the node chooses'));

export function stepList(amount: Amount) {
  const step = oneOf('do', [
    inChannel('open_channel', 'The node opens a channel, and both deposit', {
      deposit: amount,
      partnerDeposit: v.optional(amount, 0),
      settleTimeout: timeout,
      expect,
    }),
    inChannel('deposit', 'The node deposits so much more', { amount, expect }),
    inChannel('withdraw', 'The node takes so much out', { amount, expect }),
    inChannel('close', 'The node closes the channel', { expect }),
    inChannel('await_settled', 'The channel that they have must be settled in time, on chain', {
      within: blocks(1, MOST_BLOCKS, 'From this block on'),
    }),
    object({
      do: tag('join', 'The node joins the network: it opens channels with others'),
      atBlock: blockAt(),
      node: nodeIndex,
      funds: amount,
      expect,
    }),
    ofUserDeposit('fill_user_deposit', 'The node deposits so much more for services'),
    ofUserDeposit('plan_user_withdrawal', 'It says that it will take so much out'),
    ofUserDeposit('withdraw_user_deposit', 'It takes it out, 100 blocks later at the earliest'),
    object({
      do: tag('pay', 'One payment, which must end as expected'),
      atBlock: blockAt(),
      node: nodeIndex,
      to: nodeIndex,
      amount,
      lockTimeout: timeout,
      path: maybe(
        v.pipe(
          v.array(nodeIndex),
          v.description('The nodes after the payer, the payee last; a payment to oneself needs it'),
        ),
      ),
      secret: maybe(v.pipe(whole(0, 1_000_000), v.description('As a number; absent: any'))),
      identifier: maybe(v.pipe(whole(1, MOST_IDENTIFIER), v.description('Absent: a new one'))),
      expect,
    }),
    ofNodes('leave', 'They close all of their channels and settle them', { expect }),
    ofNodes('try_channels', 'They pay each honest partner one unit, which must arrive', {
      ifQuiet: v.optional(
        v.pipe(
          v.boolean('must be true or false'),
          v.description('Only where nothing is in the way; else that is a failure'),
        ),
        false,
      ),
    }),
    ofNodes('stop', 'They stop in an orderly way', {}),
    ofNodes('start', 'They start again, and must become ready', {}),
    ofNodes('kill', 'Their processes die, until they are started', {}),
    ofNodes('pause', 'They stand still and go on as if no time had passed', { blocks: blocks(1) }),
  ]);
  return list(step, 10_000);
}
export type Step = v.InferOutput<ReturnType<typeof stepList>>[number];
