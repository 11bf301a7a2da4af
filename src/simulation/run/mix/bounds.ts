/** Draws small bounds of what others can make nodes hold and spend: networks of a few nodes never meet the usual ones. */
import type { BoundName } from '../../../node/runtime/knowledge/bounds.ts';
import { fileKey } from '../../scenario/schema/values.ts';
import type { Draw } from '../../world/randomness.ts';

/** Share of the seeds with small bounds. */
const SHARE = 0.5;
/** None is below what one thing takes: a payload, an Update of 32 changes, or an unlock, which counts as some registrations. */
const SMALL: Record<BoundName, readonly number[]> = {
  waitingRows: [1, 2, 4],
  waitingBytes: [800, 1_500],
  partnerRegistrations: [60, 90],
  strangerRegistrations: [60, 90],
  tokenRegistrations: [40, 60],
  lateSecrets: [1],
  secretsPerBlock: [1],
  strangerBytes: [1_500, 4_000],
  partnerChanges: [32],
  syncs: [1, 2],
  heldBytes: [24_000, 48_000],
};
const NAMES = Object.keys(SMALL).filter((name): name is BoundName => name in SMALL);

/** For all nodes. */
export function drawBounds(draw: Draw): { bounds?: Record<string, number> } {
  if (!draw.happens(SHARE)) return {};
  const chosen = Array.from({ length: draw.integer(2, 5) }, () => draw.pick(NAMES));
  return {
    bounds: Object.fromEntries(chosen.map((name) => [fileKey(name), draw.pick(SMALL[name])])),
  };
}
