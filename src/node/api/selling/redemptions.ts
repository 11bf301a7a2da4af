/**
 * Received payments as proofs for something that is sold: each is redeemed once, in the commit that comes before the
 * answer (docs/x402-scheme.md). The server that sells has made the demand, the buyer shows the secret of its payment.
 */
import type { ReplyKind, ReplyOf } from '../../../../machines/effects.ts';
import type { Address } from '../../../basics/hex.ts';
import { failure, type Result } from '../../../protocol/codes.ts';
import type { Questions } from '../../runtime/commits/questions.ts';
import type { Engine } from '../../runtime/commits/turn.ts';
import type { Call } from '../../runtime/knowledge/calls.ts';
import type { Ends, Wait } from '../../runtime/knowledge/ends.ts';
import type { Redemptions } from '../../runtime/knowledge/redemptions.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import {
  createJudge,
  type Judged,
  type JudgeParts,
  type Proof,
  type RefusedSale,
} from './judge.ts';

export type Settled = RefusedSale | ({ isGood: true } & ReplyOf<'redemption'>);
export type Released = RefusedSale | ({ isGood: true } & ReplyOf<'release'>);
export type Redeeming = ReturnType<typeof createRedeeming>;

/** How long a buyer that comes before the last message of its payment is waited for. */
const UNLOCK_MS = 5_000;

type Parts = Omit<JudgeParts, 'engine' | 'redemptions' | 'own' | 'network'> & {
  context: Pick<JudgeParts, 'own' | 'network'> & {
    redemptions: Redemptions;
    ends: Ends;
    complete: Runtime['complete'];
    /** The operator sells for the token: it is money to this node from now on. */
    choose(token: Address): void;
  };
  engine: Pick<Engine, 'write' | 'flush'>;
  questions: Pick<Questions, 'nextId' | 'wait'>;
};

export function createRedeeming({ context, ...parts }: Parts) {
  const { engine, questions } = parts;
  const { network, redemptions, ends, complete } = context;
  const judge = createJudge({ ...parts, ...context });

  /** Writes for a call, and answers it when that is on disk. */
  async function written<K extends ReplyKind>(
    call: Call,
    requestId: string,
    value: ReplyOf<K> & { kind: K },
    row: Parameters<Redemptions['write']>[1],
  ): Promise<Result<{ isGood: true } & ReplyOf<K>>> {
    const ending = questions.wait(requestId, value.kind);
    const isBegun = complete(call, { requestId, value }, (batch) => redemptions.write(batch, row));
    const answer = isBegun ? await ending : failure('shutting_down');
    return answer.ok ? { ok: true, value: { isGood: true, ...answer.value } } : answer;
  }

  return {
    network,
    /** Whether the payment could be redeemed now. */
    verify(proof: Proof): Judged {
      const judged = judge.redeemable(proof);
      engine.flush();
      return judged;
    },
    /** A wait until the payment is over, for some seconds at most; null: there is nothing to wait for. */
    awaitPayment(proof: Proof): Wait | null {
      const id = judge.awaited(proof);
      return id === null ? null : ends.wait(id, UNLOCK_MS);
    },
    /** Redeems the payment, once. */
    async redeem(proof: Proof, call: Call): Promise<Result<Settled>> {
      const judged = judge.redeemable(proof);
      if (!judged.isGood) return { ok: true, value: judged };
      context.choose(proof.demanded.asset);
      // Nothing may be awaited from here on: somebody else may redeem it meanwhile.
      const { secrethash, payer, amount, received } = judged;
      const request = questions.nextId();
      const row = { secrethash, paymentId: proof.paymentId, request, received };
      const facts = { secrethash, network, payer, amount, redemption: request };
      return written(call, request, { kind: 'redemption', ...facts }, row);
    },
    /**
     * Takes a redemption back, so that the payment can be redeemed again. `redemption`: only this one; null: whichever it is.
     * A payment that is not redeemed, or anew since, stays as it is.
     */
    async release(proof: Proof, redemption: string | null, call: Call): Promise<Result<Released>> {
      const found = judge.found(proof);
      if (!found.isGood) return { ok: true, value: found };
      const { secrethash, payer, received } = found;
      const value = { kind: 'release', secrethash, network, payer } as const;
      const now = redemptions.find(secrethash);
      if (now === null || (redemption !== null && now.request !== redemption)) {
        // It may have been taken back a moment ago.
        engine.flush();
        return { ok: true, value: { isGood: true, ...value } };
      }
      const row = { secrethash, paymentId: proof.paymentId, request: null, received };
      return written(call, questions.nextId(), value, row);
    },
  };
}
