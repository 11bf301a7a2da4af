/**
 * What a node still has to say is what its disk has in the outbox: a balance proof leaves it when the partner has said that it
 * has it, or a later one, and not before; and then it does leave it.
 */
import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import type { OutboxRow } from '../../../store/base/batch.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'head' | 'isOpen' | 'machine' | 'undisturbedSince'>;
/**
 * A balance proof in an outbox. `isSaid`: its recipient has said that it has it. `arrivedBlock`: when that came, which may be
 * long after; null: it has not come yet, or was lost.
 */
type Waiting = Pick<OutboxRow, 'recipient' | 'messageId'> & {
  queue: string;
  nonce: bigint;
  isSaid: boolean;
  arrivedBlock: bigint | null;
};

/** Blocks within which a row is deleted: with the next commit, or soon after. */
const LATE = 3n;
const NOT_SAID = { isSaid: false, arrivedBlock: null };

export function createAcknowledged({ head, isOpen, machine, undisturbedSince }: Needs): Oracle {
  const machines = new Map<string, Map<string, Waiting>>();
  const of = (who: string) => getOrMake(machines, who, () => new Map<string, Waiting>());

  function checkDone(who: string, key: string) {
    const one = of(who).get(key);
    of(who).delete(key);
    if (one === undefined || one.isSaid || !isOpen(one.queue)) return;
    const text = `${who} says ${key} no more, and ${one.recipient} has not said that it has it`;
    throw new Violation(21, who, text);
  }

  /** The newest nonce of a channel that the partner says to have; null: it says nothing of the kind. */
  function accepted(who: string, from: Address, message: Message) {
    if (message.type === 'Sync')
      return { queue: channelActorId(message), nonce: message.acceptedNonce };
    if (message.type !== 'Processed') return null;
    const { messageId } = message;
    for (const { recipient, messageId: known, queue, nonce } of of(who).values())
      if (known === messageId && recipient === from) return { queue, nonce };
    return null;
  }

  /** What the recipient says with this message to have. */
  function known(who: string, from: Address, message: Message): Waiting[] {
    const has = accepted(who, from, message);
    if (has === null) return [];
    return [...of(who).values()].filter(
      (one) => one.recipient === from && one.queue === has.queue && one.nonce <= has.nonce,
    );
  }

  function checkLeft(who: string, key: string, one: Waiting, since: bigint) {
    const { arrivedBlock, queue } = one;
    if (arrivedBlock === null || !isOpen(queue)) return;
    // A node that does not see the chain drops what comes, and one that dies may not have written it: it must come again.
    if (arrivedBlock <= since) one.arrivedBlock = null;
    else if (head() - arrivedBlock > LATE)
      throw new Violation(
        21,
        who,
        `${who} keeps ${key}, which was acknowledged at ${arrivedBlock}`,
      );
  }

  return {
    commit(who, { outbox, outboxDone }) {
      for (const key of outboxDone) checkDone(who, key);
      for (const { key, queue, recipient, messageId, nonce, body } of outbox)
        if (queue !== null && nonce !== null && body.includes('"locksroot"'))
          of(who).set(key, { queue, recipient, messageId, nonce, ...NOT_SAID });
    },
    hears(who, from, message) {
      for (const one of known(who, from, message)) one.isSaid = true;
    },
    arrives(who, from, message) {
      for (const one of known(who, from, message)) one.arrivedBlock ??= head();
    },
    block() {
      const since = undisturbedSince();
      if (since === null) return;
      for (const [who, waiting] of machines)
        if (waiting.size > 0 && machine(who)?.isFit)
          for (const [key, one] of waiting) checkLeft(who, key, one, since);
    },
  };
}
