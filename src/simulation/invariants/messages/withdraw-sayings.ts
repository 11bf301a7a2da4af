/**
 * What a node says of its own withdrawals stays in its outbox until it is answered, whatever else the partner acknowledges: a
 * request until the consent or the withdrawal itself has come, and the word that it is over until the partner has it.
 */
import * as v from 'valibot';
import { placeOfChannel } from '../../../../machines/base/actor-ids.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { OutboxRow } from '../../../store/base/batch.ts';
import { decode } from '../../../store/base/codec.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'channel' | 'isOpen' | 'machine'>;
const SAID = v.looseObject({
  type: v.picklist(['WithdrawRequest', 'WithdrawExpired']),
  totalWithdraw: v.bigint(),
});
type Waiting = Pick<OutboxRow, 'recipient' | 'messageId'> &
  v.InferOutput<typeof SAID> & { queue: string; isAnswered: boolean };

const ANSWERS = { WithdrawRequest: 'WithdrawConfirmation', WithdrawExpired: 'Processed' } as const;

export function createWithdrawSayings({ channel, isOpen, machine }: Needs): Oracle {
  const machines = new Map<string, Map<string, Waiting>>();
  const of = (who: string) => getOrMake(machines, who, () => new Map<string, Waiting>());

  function isTakenOut(who: string, { queue, totalWithdraw }: Waiting): boolean {
    const place = placeOfChannel(queue);
    const sides = place === null ? [] : (channel(place.channelId)?.sides ?? []);
    const own = sides.find(({ address }) => address === machine(who)?.address);
    return (own?.withdrawn ?? 0n) >= totalWithdraw;
  }

  function checkDone(who: string, key: string) {
    const one = of(who).get(key);
    of(who).delete(key);
    if (one === undefined || one.isAnswered || !isOpen(one.queue) || isTakenOut(who, one)) return;
    throw new Violation(21, who, `${who} says ${key} no more, a ${one.type} without an answer`);
  }

  return {
    commit(who, { outbox, outboxDone }) {
      for (const key of outboxDone) checkDone(who, key);
      for (const { key, queue, recipient, messageId, body } of outbox) {
        const said = body.includes('"totalWithdraw"') ? v.safeParse(SAID, decode(body)) : null;
        if (queue !== null && said?.success === true)
          of(who).set(key, { ...said.output, queue, recipient, messageId, isAnswered: false });
      }
    },
    hears(who, from, message) {
      if (message.type !== 'Processed' && message.type !== 'WithdrawConfirmation') return;
      for (const one of of(who).values())
        if (
          one.recipient === from &&
          one.messageId === message.messageId &&
          ANSWERS[one.type] === message.type
        )
          one.isAnswered = true;
    },
  };
}
