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
/** A balance proof in an outbox. `heardBlock`: when the recipient said that it has it; null: never. */
type Waiting = Pick<OutboxRow, 'recipient' | 'messageId'> & {
  queue: string;
  nonce: bigint;
  heardBlock: bigint | null;
};

/** Blocks within which a row is deleted: with the next commit, or soon after. */
const LATE = 3n;

export function createAcknowledged({ head, isOpen, machine, undisturbedSince }: Needs): Oracle {
  const machines = new Map<string, Map<string, Waiting>>();
  const of = (who: string) => getOrMake(machines, who, () => new Map<string, Waiting>());

  function checkDone(who: string, key: string) {
    const one = of(who).get(key);
    of(who).delete(key);
    if (one === undefined || one.heardBlock !== null || !isOpen(one.queue)) return;
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

  function checkLeft(who: string, key: string, { heardBlock, queue }: Waiting, since: bigint) {
    if (heardBlock === null || !isOpen(queue)) return;
    const begin = heardBlock > since ? heardBlock : since;
    if (head() - begin <= LATE) return;
    throw new Violation(21, who, `${who} keeps ${key}, which was acknowledged at ${heardBlock}`);
  }

  return {
    commit(who, { outbox, outboxDone }) {
      for (const key of outboxDone) checkDone(who, key);
      for (const { key, queue, recipient, messageId, nonce, body } of outbox)
        if (queue !== null && nonce !== null && body.includes('"locksroot"'))
          of(who).set(key, { queue, recipient, messageId, nonce, heardBlock: null });
    },
    hears(who, from, message) {
      const has = accepted(who, from, message);
      if (has === null) return;
      for (const one of of(who).values())
        if (one.recipient === from && one.queue === has.queue && one.nonce <= has.nonce)
          one.heardBlock ??= head();
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
