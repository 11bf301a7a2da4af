/** Messages that wait in a channel are dropped when the channel is removed from the chain. */

import { placeOfChannel } from '../../../../machines/base/actor-ids.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'channel' | 'machine' | 'tokenNetwork'>;

export function createQueues({ channel, machine, tokenNetwork }: Needs): Oracle {
  /** Queues of channels, by machine and key. */
  const outboxes = new Map<string, Map<string, string>>();

  function check(who: string, queue: string) {
    const place = placeOfChannel(queue);
    if (place !== null && channel(place.channelId)?.state === 'removed')
      throw new Violation(21, who, `${who} keeps what it had to say in ${queue}, which is gone`);
  }

  return {
    commit(who, { outbox, outboxDone }) {
      const waiting = getOrMake(outboxes, who, () => new Map<string, string>());
      for (const { key, queue } of outbox)
        if (queue !== null && placeOfChannel(queue)?.tokenNetwork === tokenNetwork)
          waiting.set(key, queue);
      for (const key of outboxDone) waiting.delete(key);
    },
    end() {
      for (const [who, waiting] of outboxes)
        if (machine(who)?.isFit) for (const one of waiting.values()) check(who, one);
    },
  };
}
