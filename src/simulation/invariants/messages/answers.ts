/** Whoever acknowledges a step of a partner has taken it, or a later one: the partner says it no more. */
import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';

type Heard = { channel: string; nonce: bigint };

/** Messages that are remembered in all. */
const KEPT = 40_000;

export function createAnswers({ machine }: Pick<Facts, 'machine'>): Oracle {
  /**
   * The steps that each message was about, by who heard it of whom, and the message: a partner that cheats may say
   * several things under one identifier, of which one was good.
   */
  const heard = createRecent<readonly Heard[]>(KEPT);
  /** The nonce of the newest step of the partner that each node has taken, by node and channel. */
  const taken = new Map<string, bigint>();

  const keyOf = (who: string, partner: Address, messageId: bigint) =>
    `${who} ${partner} ${messageId}`;

  return {
    commit(who, { proofs, gone }) {
      for (const { side, channel, nonce } of proofs)
        if (side === 'partner') taken.set(`${who} ${channel}`, nonce);
      for (const channel of gone) taken.delete(`${who} ${channel}`);
    },
    hears(who, from, message) {
      if (!('locksroot' in message)) return;
      const { nonce } = message;
      const key = keyOf(who, from, message.messageId);
      const channel = channelActorId(message);
      const others = (heard.get(key) ?? []).filter(
        (one) => one.channel !== channel || one.nonce !== nonce,
      );
      heard.set(key, [...others, { channel, nonce }]);
    },
    says(who, to, message) {
      if (message.type !== 'Processed' || machine(who) === null) return;
      const about = heard.get(keyOf(who, to, message.messageId)) ?? [];
      const isTaken = ({ channel, nonce }: Heard) =>
        (taken.get(`${who} ${channel}`) ?? 0n) >= nonce;
      const [last] = about.slice(-1);
      if (last === undefined || about.some(isTaken)) return;
      const { channel, nonce } = last;
      throw new Violation(
        19,
        who,
        `${who} acknowledges ${nonce} of ${channel}, and has not taken it`,
      );
    },
  };
}
