/** Asks on NATS whether a node is there, and for its public key. */
import { Empty, ErrorCode, type NatsConnection, NatsError, RequestStrategy } from 'nats';
import type { Address } from '../basics/hex.ts';
import { keyInPresence } from './presence-answer.ts';
import type { Sighting } from './transport.ts';

/** Most answers that are read: anybody on the broker may answer, and often enough to cost something. */
const MOST_ANSWERS = 64;

/**
 * The first answer with the right key. Other answers are passed over, so that a stranger who answers before the node
 * itself cannot hide it.
 */
export async function findKey(
  connection: NatsConnection,
  subject: string,
  address: Address,
  maxWait: number,
): Promise<Sighting> {
  try {
    const options = { strategy: RequestStrategy.Count, maxMessages: MOST_ANSWERS, maxWait };
    for await (const { data } of await connection.requestMany(subject, Empty, options)) {
      const publicKey = keyInPresence(data, address);
      if (publicKey !== null) return { state: 'reachable', publicKey };
    }
  } catch (error) {
    if (isNobodyThere(error)) return { state: 'unreachable' };
  }
  return { state: 'unknown' };
}

function isNobodyThere(error: unknown): boolean {
  return error instanceof NatsError && error.code === ErrorCode.NoResponders;
}
