/**
 * Calls with a key: the first one is made, and whoever repeats it waits for the same end, or is told what became of it.
 * A repeated call needs no turn: it asks for nothing that is not under way.
 */

import type { NodeApi } from '../../node/api/api.ts';
import type { EarlierCall } from '../../node/api/keyed.ts';
import { failure } from '../../protocol/codes.ts';
import type { KeyedCall } from '../../store/base/batch.ts';
import { type HttpReply, ok } from '../answers/responses.ts';
import { type Endpoint, takesKey } from '../endpoints/endpoint.ts';
import { answeredObject } from '../shapes/serializers.ts';
import { type ApiContext, callOf, grantOf } from './call.ts';
import { KEY_HEADER, keyedCall, keyIn } from './keys.ts';

type Repeatable = {
  endpoint: Endpoint;
  /** What the body asks for. */
  body: unknown;
  /** Makes the call. */
  first(): HttpReply | Promise<HttpReply>;
};
export type Repeats = ReturnType<typeof createRepeats>;

const OTHER = 'Send another key with a request that is not the same as before.';
const NO_ROOM = 'Send no key, or call again when the oldest of your calls ended a day ago.';

export function createRepeats(
  node: Pick<NodeApi, 'earlierCall' | 'hasRoomForKey' | 'acknowledged'>,
) {
  /** The calls of this process, by caller and key, from their first check to their answer. */
  const underWay = new Map<string, { content: string; over: Promise<unknown> }>();

  async function answerOf(c: ApiContext, before: EarlierCall, status: number): Promise<HttpReply> {
    if (!before.isSame) return failure('key_reused', OTHER);
    callOf(c).begun = { paymentId: before.paymentId };
    const answer = await before.answer();
    // Nobody is told what only this machine knows.
    if ((await node.acknowledged()) === false)
      return { ...failure('replica_unavailable'), outcome: 'pending' };
    return answer.ok ? ok(answeredObject(answer.value), status) : answer;
  }

  async function keyed(c: ApiContext, call: KeyedCall, { endpoint, first }: Repeatable) {
    const name = `${call.caller} ${call.key}`;
    for (let other = underWay.get(name); other !== undefined; other = underWay.get(name)) {
      if (other.content !== call.content) return failure('key_reused', OTHER);
      await other.over;
    }
    const before = node.earlierCall(call);
    if (before !== null) return answerOf(c, before, endpoint.status);
    if (!node.hasRoomForKey(call)) return failure('too_many_keys', NO_ROOM);
    callOf(c).keyed = call;
    const answer = Promise.resolve(first());
    const leave = () => void underWay.delete(name);
    underWay.set(name, { content: call.content, over: answer.then(leave, leave) });
    return answer;
  }

  return {
    /** Makes the call, unless it repeats an earlier one. */
    once(c: ApiContext, repeatable: Repeatable): HttpReply | Promise<HttpReply> {
      if (!takesKey(repeatable.endpoint)) return repeatable.first();
      const key = keyIn(c.req.header(KEY_HEADER) ?? null);
      if (!key.ok) return key;
      if (key.value === null) return repeatable.first();
      const asked = [c.req.method, c.req.path, repeatable.body];
      return keyed(c, keyedCall(grantOf(c), key.value, asked), repeatable);
    },
  };
}
