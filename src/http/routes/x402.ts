/** The node as a facilitator of x402: received payments are proofs, each of which is redeemed once. */

import type { Address } from '../../basics/hex.ts';
import type { NodeApi } from '../../node/api/api.ts';
import type { Proof } from '../../node/api/selling/judge.ts';
import { answer, failure, good } from '../answers/responses.ts';
import { type ApiContext, callOf } from '../checks/call.ts';
import type { MountRoute } from '../description/described.ts';
import { type OpenApi, writeX402OpenApi } from '../description/openapi.ts';
import * as endpoints from '../endpoints/x402.ts';
import { createPlaces } from '../queue/places.ts';
import { releasedObject, settlementObject, verificationObject } from '../shapes/x402-answers.ts';

/** Calls that wait for payments at once, which payers share: the next one is judged as things are. */
const MOST_WAITING = 256;

/** `ending`: aborted when the application takes no calls any more. */
type Parts = { node: NodeApi; route: MountRoute; ending: AbortSignal };

export function x402Routes({ node, route, ending }: Parts): void {
  const { redeeming } = node;
  const { network } = redeeming;
  const places = createPlaces<Address>(MOST_WAITING);
  const waits = new Set<() => void>();
  ending.addEventListener('abort', () => {
    for (const stop of waits) stop();
  });

  /** Waits for the payment, without a turn: any buyer can let others wait for its payments. */
  function waitFor(proof: Proof, c: ApiContext): Promise<void> | null {
    // Not by who calls: all buyers of a server come through it, and one can hold a payment back and ask for it many times.
    const { payer } = proof;
    if (!places.take(payer)) return null;
    const wait = redeeming.awaitPayment(proof);
    if (wait === null) {
      places.giveBack(payer);
      return null;
    }
    const { stop, over } = wait;
    const { signal } = c.req.raw;
    waits.add(stop);
    signal.addEventListener('abort', stop);
    if (signal.aborted || ending.aborted) stop();
    return over.finally(() => {
      waits.delete(stop);
      signal.removeEventListener('abort', stop);
      places.giveBack(payer);
    });
  }

  route(endpoints.supported, () => () => {
    const kind = { x402Version: 2 as const, scheme: 'channel' as const, network };
    return good({ kinds: [kind], extensions: [], signers: {} });
  });
  route(endpoints.verify, ({ body }) => async () => {
    const judged = redeeming.verify(body);
    // Nobody is told what only this machine knows.
    const isKnown = (await node.acknowledged()) ?? true;
    return isKnown ? good(verificationObject(judged)) : failure('replica_unavailable');
  });
  route(endpoints.settle, ({ body }, c) => ({
    before: () => waitFor(body, c),
    work: async () =>
      answer(await redeeming.redeem(body, callOf(c)), (one) => settlementObject(one, network)),
  }));
  route(endpoints.release, ({ body: { proof, redemption } }, c) => async () => {
    const released = await redeeming.release(proof, redemption, callOf(c));
    return answer(released, (one) => releasedObject(one, network));
  });
  let document: Promise<OpenApi> | null = null;
  route(endpoints.getX402OpenApi, () => async () => {
    document ??= writeX402OpenApi(node.version);
    return good(await document);
  });
}
