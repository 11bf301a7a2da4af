/** Asks on NATS whether another process holds this node's key, and answers others who ask that. */
import { type NatsConnection, RequestStrategy } from 'nats';
import { createTokenBucket } from '../basics/token-bucket.ts';
import {
  answerTo,
  drawQuestion,
  type Fence,
  isKeyAnswer,
  isQuestion,
  type KeyPlace,
  provesKey,
  type RecoverKey,
  type Sign,
  sharesFence,
} from './key-proof.ts';
import type { Rival } from './transport.ts';

/** Limits of signing for anybody who asks, and of checking the answers that come: both cost arithmetic on the curve. */
const ANSWERS = { most: 20, perSecond: 10 };
const MOST_CHECKS = 200;

type Options = {
  place: KeyPlace;
  sign: Sign | null;
  recover: RecoverKey;
  fence: Fence;
  now(): number;
};

export function createRivalCheck({ place, sign, recover, fence, now }: Options) {
  const answers = createTokenBucket({ ...ANSWERS, now });
  /** The questions that this very process asks at this moment: it does not answer them if somebody sends them back. */
  const asked = new Set<string>();

  return {
    /** The answer to a question, which may come from anybody; null: no answer is given. */
    answer(question: Uint8Array): Uint8Array | null {
      if (sign === null || !isQuestion(question) || asked.has(textOf(question))) return null;
      return answers.take() ? answerTo(question, { place, fence, sign }) : null;
    },
    /** Whether somebody else proves within `maxWait` milliseconds that it has the key. Nothing but a proof counts. */
    async find(connection: NatsConnection, subject: string, maxWait: number): Promise<Rival> {
      const question = drawQuestion();
      const text = textOf(question);
      asked.add(text);
      let checks = 0;
      let found: Rival = 'none';
      try {
        const strategy = RequestStrategy.Timer;
        const heard = await connection.requestMany(subject, question, { strategy, maxWait });
        for await (const { data } of heard) {
          if (!isKeyAnswer(data)) continue;
          if (provesKey(data, question, { place, recover })) {
            if (!sharesFence(data, fence)) return 'free';
            found = 'fenced';
          }
          if (++checks === MOST_CHECKS) break;
        }
      } catch {
        // Nobody listens there, or the connection went away.
      } finally {
        asked.delete(text);
      }
      return found;
    },
  };
}

function textOf(question: Uint8Array): string {
  return Buffer.from(question).toString('latin1');
}
