/** What callers are answered who repeat a call under its key, as it is kept on disk. */
import * as v from 'valibot';
import type { Reply, ReplyValue } from '../../../machines/effects.ts';
import type { Address } from '../../basics/hex.ts';
import { CODES, failure, type Result } from '../../protocol/codes.ts';
import { hex, text, uint } from '../../protocol/shapes.ts';
import type { KeyedCall } from '../../store/base/batch.ts';
import { decode, encode } from '../../store/base/codec.ts';
import type { ChannelView } from '../runtime/actors/channel-states.ts';
import { failureIn, type Questions } from '../runtime/commits/questions.ts';
import type { Begun, Calls } from '../runtime/knowledge/calls.ts';
import type { Redemptions } from '../runtime/knowledge/redemptions.ts';

const channelView: v.GenericSchema<unknown, ChannelView> = v.object({
  channelId: uint,
  tokenNetwork: hex,
  token: hex,
  partner: hex,
  balance: v.bigint(),
  totalDeposit: uint,
  totalWithdraw: uint,
  state: v.picklist(['opened', 'closed', 'settled']),
  settleTimeout: uint,
  revealTimeout: uint,
  networkState: v.picklist(['reachable', 'unreachable', 'unknown']),
});
const paymentResult = v.object({
  initiator: hex,
  target: hex,
  token: hex,
  amount: uint,
  paymentId: uint,
  secret: hex,
  secrethash: hex,
});
const ofProof = { secrethash: hex, network: text, payer: hex };
/** What a call was answered that succeeded. */
const answered = v.variant('kind', [
  v.object({ kind: v.literal('channel'), channel: channelView }),
  v.object({ kind: v.literal('joined'), channels: v.array(channelView) }),
  v.object({ kind: v.literal('tokenNetwork'), tokenNetwork: hex }),
  v.object({ kind: v.literal('payment'), payment: paymentResult }),
  v.object({ kind: v.literal('transaction'), transactionHash: hex }),
  v.object({
    kind: v.literal('withdrawPlan'),
    transactionHash: hex,
    plannedWithdrawBlock: uint,
  }),
  v.object({
    kind: v.literal('redemption'),
    ...ofProof,
    amount: uint,
    /** Null, which is not kept: it was taken back since. */
    redemption: v.nullable(text),
  }),
  v.object({ kind: v.literal('release'), ...ofProof }),
]);
export type KeptAnswer = v.InferOutput<typeof answered>;
const kept = v.variant('ok', [
  v.object({ ok: v.literal(true), value: answered }),
  v.object({
    ok: v.literal(false),
    code: v.picklist(CODES),
    detail: text,
    outcome: v.exactOptional(v.literal('failed')),
  }),
]);

/** Characters of a reason that are kept: it may have the words of an endpoint in it. */
const LONGEST_DETAIL = 500;

/** `isSame`: whether the earlier call asked for the same. */
export type EarlierCall = Begun & { isSame: boolean; answer(): Promise<Result<KeptAnswer>> };

type Views = { own: Address; view(channel: string): ChannelView | null };

/** Makes of an actor's reply what its caller is answered. */
export function createAnswers({ own, view }: Views) {
  function answeredIn(value: ReplyValue): Result<KeptAnswer> {
    switch (value.kind) {
      case 'channel': {
        const channel = view(value.channel);
        return channel === null
          ? failure('unknown_channel')
          : { ok: true, value: { kind: 'channel', channel } };
      }
      case 'joined': {
        const channels = value.channels.map(view).filter((one) => one !== null);
        return { ok: true, value: { kind: 'joined', channels } };
      }
      case 'payment': {
        const { target, token, amount, paymentId, secret, secrethash } = value.order;
        const payment = { initiator: own, target, token, amount, paymentId, secret, secrethash };
        return { ok: true, value: { kind: 'payment', payment } };
      }
      case 'withdrawPlan': {
        const { kind, transactionHash, withdrawBlock: plannedWithdrawBlock } = value;
        return { ok: true, value: { kind, transactionHash, plannedWithdrawBlock } };
      }
      case 'left':
        throw new Error('a leave has no key');
      default:
        return { ok: true, value };
    }
  }

  return {
    answeredIn,
    /** The codec's text of what is kept of an answer, in the state of this very turn. */
    textOf(reply: Reply): string {
      if (reply.type === 'reply.ok') return encode(answeredIn(reply.value));
      const { detail, ...failed } = failureIn(reply);
      return encode({ ...failed, detail: detail?.slice(0, LONGEST_DETAIL) });
    },
  };
}

/** What is kept of the answer to a call, as it was in the turn that decided it; null: it is not decided yet. */
export function keptAnswer(
  calls: Pick<Calls, 'find'>,
  keyed: KeyedCall,
): Result<KeptAnswer> | null {
  const answer = calls.find(keyed)?.answer ?? null;
  return answer === null ? null : v.parse(kept, decode(answer));
}

type Options = {
  calls: Pick<Calls, 'find' | 'isFull'>;
  redemptions: Pick<Redemptions, 'find'>;
  /** The answer to a request, or why it is not waited for. */
  wait: Questions['wait'];
  answeredIn(value: ReplyValue): Result<KeptAnswer>;
  /** Returns when everything that was decided so far is on disk. */
  flush(): void;
};

export function createKeyed({ calls, redemptions, wait, answeredIn, flush }: Options) {
  /** Nobody is told a second time that a payment was redeemed which can be redeemed again. */
  function asItIs(answer: Result<KeptAnswer>): Result<KeptAnswer> {
    if (!answer.ok || answer.value.kind !== 'redemption') return answer;
    const { value } = answer;
    const now = redemptions.find(value.secrethash);
    const isTakenBack = now?.request !== value.redemption;
    return isTakenBack ? { ok: true, value: { ...value, redemption: null } } : answer;
  }

  async function answerOf(request: string, keyed: KeyedCall): Promise<Result<KeptAnswer>> {
    const answer = await wait(request);
    if (!answer.ok) return answer;
    return keptAnswer(calls, keyed) ?? answeredIn(answer.value);
  }

  return {
    /** The call that has begun something under this key; null: none has, as far as is known. */
    earlierCall(keyed: KeyedCall): EarlierCall | null {
      const call = calls.find(keyed);
      if (call === null) return null;
      const { paymentId, request, answer } = call;
      return {
        paymentId,
        isSame: call.content === keyed.content,
        async answer() {
          if (answer === null) return answerOf(request, keyed);
          flush();
          return asItIs(v.parse(kept, decode(answer)));
        },
      };
    },
    hasRoomForKey: (keyed: KeyedCall): boolean => !calls.isFull(keyed),
  };
}
