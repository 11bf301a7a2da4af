/** A channel that is being opened, as its node remembers it: dashed, with how far it is. */

import { figureOf } from '../../page-parts/figure.ts';
import { amountText, tokenUnit } from '../../page-parts/labels.ts';
import { between, type MapPlace, type Sheet } from './places.ts';
import type { NetworkNode, Opening } from './watched.ts';
import { Segment } from './wire.tsx';
import { trackOf } from './wires.ts';

type OpeningProps = {
  opening: Opening;
  nodes: readonly NetworkNode[];
  places: ReadonlyMap<string, MapPlace>;
  sheet: Sheet;
};

export function OpeningLine({ opening, nodes, places, sheet }: OpeningProps) {
  const { node, partner, token, deposit, isOnChain } = opening;
  const other = nodes.find(({ address }) => address === partner)?.name ?? '';
  const [from, to] = [places.get(node), places.get(other)];
  if (from === undefined || to === undefined) return null;
  const track = trackOf([from, to], sheet);
  const { x, y } = between(track.from, track.to, 0.5);
  const claim = {
    of: `${node}/opening:${partner}/deposit`,
    value: deposit,
    unit: tokenUnit(token),
  };
  return (
    <g class="network-wire">
      <Segment kind="network-opening" {...track} />
      <text x={x} y={y - 12}>
        {isOnChain ? 'opened, deposit' : 'opening with'}{' '}
        <tspan {...figureOf(claim)}>{amountText(deposit, token)}</tspan>
      </text>
      <text x={x} y={y + 14}>
        {isOnChain ? 'step 2 of 2: waits for its block' : 'step 1 of 2: waits for its block'}
      </text>
    </g>
  );
}
