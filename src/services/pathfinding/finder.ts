/**
 * Answers a request for routes: checks the payment and the target's presence, finds the routes, and takes the payment.
 */
import type { FoundPath, PathRequest } from '../../routing/network.ts';
import type { KnownNetwork } from './book.ts';
import type { Cashier, TakenIou } from './cashier.ts';
import type { Feedback } from './feedback.ts';
import type { NodePresence } from './presence.ts';
import { type RefusedRequest, refusedRequest } from './refusals.ts';
import { checkedBy, iouRequest } from './requests.ts';

export type FinderParts = {
  presence: Pick<NodePresence, 'isUsable' | 'isUsableNow'>;
  feedback: Pick<Feedback, 'order' | 'issue' | 'hasFailures'>;
  /** Null: the service is free. */
  cashier: Pick<Cashier, 'check' | 'take'> | null;
};
/** `iou`: as the client sent it; null when there is none. */
export type FindRequest = Omit<PathRequest, 'isReachable'> & { iou: unknown };
export type FoundPaths = { ok: true; paths: FoundPath[]; feedbackToken: string } | RefusedRequest;
export type Finder = ReturnType<typeof createPathFinder>;

/** Additional routes that are searched when some have failed lately, so that others can be listed before those. */
const SPARE_PATHS = 2;

export function createPathFinder({ presence, feedback, cashier }: FinderParts) {
  async function payment(
    iou: unknown,
  ): Promise<{ ok: true; iou: TakenIou | null } | RefusedRequest> {
    if (cashier === null) return { ok: true, iou: null };
    if (iou === null) return refusedRequest('missing_iou');
    const read = checkedBy(iouRequest, iou);
    if (!read.ok) return refusedRequest('bad_iou', read.fields);
    const refusal = await cashier.check(read.value);
    return refusal ?? { ok: true, iou: read.value };
  }

  return {
    /** Nothing is charged when there is no route. Routes are given only after their payment is on disk. */
    async find(network: KnownNetwork, { iou, ...request }: FindRequest): Promise<FoundPaths> {
      const paid = await payment(iou);
      if (!paid.ok) return paid;
      if (!(await presence.isUsableNow(request.to))) return refusedRequest('not_online');
      const { maxPaths } = request;
      const found = network.graph.paths({
        ...request,
        maxPaths: maxPaths + (feedback.hasFailures() ? SPARE_PATHS : 0),
        isReachable: presence.isUsable,
      });
      if (found.length === 0) return refusedRequest('no_route');
      const paths = feedback.order(network.address, found).slice(0, maxPaths);
      const refusal = paid.iou === null ? null : (cashier?.take(paid.iou) ?? null);
      if (refusal !== null) return refusal;
      const feedbackToken = await feedback.issue(network.address, paths);
      return { ok: true, paths, feedbackToken };
    },
  };
}
