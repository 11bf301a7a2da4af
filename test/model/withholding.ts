/** Nodes whose unlocks nobody hears for a while: they say everything else. */
import { decodeBatch } from '../../src/protocol/message-codec.ts';
import { linesOf } from '../support/sealed.ts';
import type { Who } from './actions.ts';
import { open, sealedBy } from './crypto.ts';

export function createWithholding(head: () => bigint) {
  const until = new Map<Who, bigint>();
  let hasWithheld = false;
  return {
    begin: (who: Who, blocks: number) => void until.set(who, head() + BigInt(blocks)),
    end: () => until.clear(),
    has: () => hasWithheld,
    /** What is heard of a payload of this node. */
    heard(who: Who, payload: Uint8Array): Uint8Array {
      if (head() >= (until.get(who) ?? 0n)) return payload;
      const { sender, text } = open(payload);
      const { messages } = decodeBatch(text);
      const left = messages.filter(({ message }) => message.type !== 'Unlock');
      if (left.length === messages.length) return payload;
      hasWithheld = true;
      return sealedBy(sender, linesOf(left));
    },
  };
}
