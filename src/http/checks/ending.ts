/** What calls are answered when the node ends, or when something was thrown: both end the taking of calls. */
import type { NodeApi } from '../../node/api/api.ts';
import type { Code } from '../../protocol/codes.ts';
import {
  failure,
  type HttpReply,
  internalError,
  type Refusal,
  refuse,
} from '../answers/responses.ts';
import { type ApiContext, grantOf } from './call.ts';
import { KEY_HEADER, keyedCall, keyIn } from './keys.ts';
import { toldOf } from './outcomes.ts';

type Parts = {
  node: Pick<NodeApi, 'isBroken' | 'earlierCall'>;
  /** Called once, with what was thrown. */
  onInternalError: (error: unknown) => void;
  /** Once it is aborted, here or elsewhere, every call is refused. */
  ending: AbortController;
};

/** Refused for what they are: an earlier call with the key of such a one, or with another content, is not theirs. */
const NEVER_BEGUN: readonly Code[] = ['forbidden_origin', 'unauthorized', 'key_reused'];

export function createEnding({ node, onInternalError, ending }: Parts) {
  let isReported = false;

  /** From now on every call is answered 503, also those that wait for their turn. */
  const end = (): void => ending.abort();

  /**
   * Notes that something was thrown, and whether that is a failure of the node: a call that was being checked when the node
   * was asked to stop finds the node gone.
   */
  function note(error: unknown): boolean {
    if (ending.signal.aborted && !isReported) return false;
    end();
    if (!isReported) onInternalError(error);
    isReported = true;
    return true;
  }

  /** Answers a call during which something was thrown. */
  function fail(error: unknown, c: ApiContext): HttpReply {
    const call = c.get('call') ?? null;
    if (note(error)) return internalError(call && toldOf(call, null, () => isRepeated(c)));
    return call?.begun == null ? ended() : { ...ended(), outcome: 'pending' };
  }

  const ended = () => failure('shutting_down', isReported ? 'It met an internal failure.' : '');

  /** `isProbe`: only whether the process and its node are well is asked. */
  function stopped(c: ApiContext, isProbe = false): HttpReply | null {
    if (ending.signal.aborted) return ended();
    if (!node.isBroken()) return null;
    const failed = fail(new Error('the node met an internal failure'), c);
    return isProbe ? ended() : failed;
  }

  /** Whether the call has the key of one that has begun something, as far as can be known now. */
  function isRepeated(c: ApiContext): boolean {
    const key = keyIn(c.req.header(KEY_HEADER) ?? null);
    if (!key.ok || key.value === null) return false;
    try {
      return node.earlierCall(keyedCall(grantOf(c), key.value, [])) !== null;
    } catch {
      // The database is closed already.
      return true;
    }
  }

  /** The refusal as it is answered, with what the caller has to know of what it began. */
  function written(refusal: Refusal, c: ApiContext): Response {
    const call = c.get('call');
    if (call === undefined) return refuse(refusal);
    const isOther = NEVER_BEGUN.includes(refusal.code);
    return refuse(
      refusal,
      toldOf(call, refusal, () => !isOther && isRepeated(c)),
    );
  }

  return { end, note, fail, stopped, written };
}
