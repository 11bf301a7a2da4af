/** Asks on NATS whether another process holds this node's key, and answers others who ask that. */
import { type NatsConnection, RequestStrategy } from 'nats';
import { createTokenBucket } from '../protocol/token-bucket.ts';
import {
  answerTo,
  drawQuestion,
  isAnswer,
  isQuestion,
  type KeyPlace,
  provesKey,
  type Recover,
  type Sign,
} from './key-proof.ts';

/** Signing for whoever asks, and checking whatever is answered, costs arithmetic on the curve. */
const ANSWERS = { most: 20, perSecond: 10 };
const MOST_CHECKS = 200;

type Options = { place: KeyPlace; sign: Sign | null; recover: Recover; now(): number };

export function createRivalCheck({ place, sign, recover, now }: Options) {
  const answers = createTokenBucket({ ...ANSWERS, now });
  /** What this very process asks at this moment: whoever sends it back to us learns nothing. */
  const asked = new Set<string>();

  return {
    /** The answer to anybody's question, or null where there is none. */
    answer(question: Uint8Array): Uint8Array | null {
      if (sign === null || !isQuestion(question) || asked.has(textOf(question))) return null;
      return answers.take() ? answerTo(question, place, sign) : null;
    },
    /**
     * Whether somebody else proves within `maxWait` milliseconds that it has the key. Nothing else counts,
     * whoever says it.
     */
    async find(connection: NatsConnection, subject: string, maxWait: number): Promise<boolean> {
      const question = drawQuestion();
      const text = textOf(question);
      asked.add(text);
      let checks = 0;
      try {
        const strategy = RequestStrategy.Timer;
        const heard = await connection.requestMany(subject, question, { strategy, maxWait });
        for await (const { data } of heard) {
          if (!isAnswer(data)) continue;
          if (provesKey(data, question, { place, recover })) return true;
          if (++checks === MOST_CHECKS) return false;
        }
      } catch {
        // Nobody listens there, or the connection went away.
      } finally {
        asked.delete(text);
      }
      return false;
    },
  };
}

function textOf(question: Uint8Array): string {
  return Buffer.from(question).toString('latin1');
}
