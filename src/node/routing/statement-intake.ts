/**
 * Takes what nodes broadcast to services, a few milliseconds at a time: anybody can broadcast as much as they like, and
 * everything else has its turn in between.
 */

import type { SignedServiceMessage } from '../../protocol/services/service-message-types.ts';
import { ownReader, type ServiceMessageReader } from '../../protocol/services/service-messages.ts';
import type { Decoded } from '../../protocol/wire/lines.ts';
import { createRound, PAYLOAD_BYTES } from '../runtime/commits/round.ts';

/**
 * More bytes than these do not wait, and are heard at once: while that goes on the socket is not read, so the broker
 * holds back what comes next. Nothing is dropped here, else a flood would take the place of what is honest.
 */
const MOST_WAITING = 8_388_608;

type Options = {
  /** Milliseconds since any moment. */
  now(): number;
  /** Called with each message, in order. */
  hear(signed: SignedServiceMessage): void;
  onRefused?(reason: string): void;
  /** Absent: each payload is read line by line, when its turn has come. */
  messagesIn?: ServiceMessageReader['messagesIn'];
};

/** The function that takes a payload of anybody: as much of it at once as the slice of this round reaches. */
export function createStatementIntake(options: Options) {
  const { now, hear, onRefused = () => {}, messagesIn = ownReader.messagesIn } = options;
  const round = createRound({ now });
  const waiting: { bytes: number; lines: Iterator<Decoded<SignedServiceMessage>> }[] = [];
  let bytes = 0;
  let isForNext = false;

  /** Hears the next line; false when there is none. */
  function hearNext(): boolean {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const { done, value } = first.lines.next();
      if (done === true) {
        waiting.shift();
        bytes -= first.bytes;
        continue;
      }
      if (value.ok) hear(value.value);
      else onRefused(value.reason);
      return true;
    }
    return false;
  }

  function work(): void {
    while (bytes > MOST_WAITING || !round.isOver()) if (!hearNext()) return;
    if (isForNext) return;
    isForNext = true;
    round.next(() => {
      isForNext = false;
      work();
    });
  }

  return (payload: Uint8Array): void => {
    const size = payload.length + PAYLOAD_BYTES;
    bytes += size;
    waiting.push({ bytes: size, lines: messagesIn(payload)[Symbol.iterator]() });
    if (!isForNext || bytes > MOST_WAITING) work();
  };
}
