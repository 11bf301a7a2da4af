/** The secret that a job of a node registers. */
import * as v from 'valibot';
import { type Hash, isHexOf } from '../../basics/hex.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import type { JobRow } from '../../store/base/batch.ts';
import { decode } from '../../store/base/codec.ts';

const REGISTER = 'tx.registerSecret';
const REGISTRATION = v.looseObject({
  type: v.literal(REGISTER),
  secret: v.custom<Hash>((given) => isHexOf(given, 32)),
});

/** Its hash; null: the job is another one. */
export function registeredBy({ body }: JobRow): Hash | null {
  if (!body.includes(REGISTER)) return null;
  const order = v.safeParse(REGISTRATION, decode(body));
  return order.success ? secrethashOf(order.output.secret) : null;
}
