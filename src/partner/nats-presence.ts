/** Asks on NATS whether a node is there, and for its public key. */
import { Empty, ErrorCode, type NatsConnection, NatsError, RequestStrategy } from 'nats';
import type { Address } from '../protocol/hex.ts';
import { keyInPresence } from './presence-answer.ts';
import type { Sighting } from './transport.ts';

/** Whoever is on the broker may answer, and so often that this costs something. */
const MOST_ANSWERS = 64;

/**
 * The first answer with the right key. Others are passed over: who can answer before the node itself must
 * not be able to hide it.
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
