/**
 * `GET /inspector/actors/<id>/proofs`: what each side would get from a settlement with an older balance proof of
 * one side and the newest of the other.
 */
import type { ChannelContext } from '../../machines/channel/context.ts';
import { parseUint64 } from '../basics/amount.ts';
import type { Inspection, SignedStep } from '../node/api/inspection.ts';
import { payoutWith } from './base/money.ts';
import {
  answered,
  type InspectorQuestion,
  type InspectorRoute,
  numberIn,
  type RouteRefusal,
  routeRefusal,
} from './base/route.ts';
import type { ProofPayout, Proofs } from './wire.ts';

const DEFAULT_PROOFS = 50;
const MOST_PROOFS = 500;

type Side = ProofPayout['side'];
type Asked = { ok: true; side: Side; before: bigint | null; limit: number };

export function proofsRoute({ actors, signedSteps }: Inspection): InspectorRoute {
  return ({ path, query }) => {
    const [root, id = '', word] = path;
    if (path.length !== 3 || root !== 'actors' || word !== 'proofs') return null;
    const asked = askedFor(query);
    if (!asked.ok) return asked;
    const state = id.startsWith('channel:') ? actors.stateOf(id) : null;
    if (state?.kind !== 'channel')
      return routeRefusal(404, 'There is no such channel, or nothing of it is left on chain.');
    const { context } = state;
    const { side, before, limit } = asked;
    const steps = signedSteps(id, side, before, limit + 1);
    const proofs = steps.slice(0, limit).map((step) => payoutOf(context, side, step));
    const page: Proofs = { proofs, hasMore: steps.length > limit };
    return answered(page);
  };
}

function payoutOf(channel: ChannelContext, side: Side, step: SignedStep): ProofPayout {
  const { ownEnd, partnerEnd } = channel;
  const older = { transferred: step.transferredAmount, locked: step.lockedAmount };
  const moved =
    side === 'own' ? { own: older, partner: partnerEnd } : { own: ownEnd, partner: older };
  return { side, ...step, payout: payoutWith(channel, moved) };
}

function askedFor(query: InspectorQuestion['query']): Asked | RouteRefusal {
  const side = query.get('side') ?? 'own';
  if (side !== 'own' && side !== 'partner')
    return routeRefusal(400, { side: ['Must be own or partner.'] });
  const given = query.get('before');
  const before = given === null ? null : parseUint64(given);
  if (given !== null && before === null) return routeRefusal(400, { before: ['Must be a nonce.'] });
  const limit = numberIn(query, 'limit', { absent: DEFAULT_PROOFS, most: MOST_PROOFS });
  return limit.ok ? { ok: true, side, before, limit: limit.value } : limit;
}
