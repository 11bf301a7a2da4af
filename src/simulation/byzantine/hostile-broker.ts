/** An attacker that works together with the message broker: it sees all payloads, and knows which nodes are silent. */
import type { Address } from '../../basics/hex.ts';
import type { Draw } from '../world/randomness.ts';
import { closeWith, placesOf, proofsOf } from './chain-moves.ts';
import type { Overheard, Power, Program } from './program.ts';

type Facts = {
  powers: ReadonlyMap<Address, Power>;
  everybody: readonly Address[];
  draw: Draw;
  onMove(text: string): void;
};

const KEPT = 400;
/** In each block it delivers so many old payloads again, each to its recipient or to another node. */
const REPLAYS = 3;
/** A node that has sent nothing for so many blocks is taken to be asleep. */
const SILENCE = 12n;

export function createHostileBroker({
  powers,
  everybody,
  draw,
  onMove,
}: Facts): Pick<Program, 'overhears' | 'block'> {
  const heard: Overheard[] = [];
  const spoke = new Map<Address, bigint>();
  const closed = new Set<bigint>();
  let head = 0n;

  function replay(power: Power) {
    const { to, payload } = draw.pick(heard);
    power.replay(draw.happens(0.5) ? to : draw.pick(everybody), payload);
  }

  /** Closes channels with an old balance proof while the partner is asleep. */
  function closeOnSleepers(power: Power) {
    for (const place of placesOf(power)) {
      const last = spoke.get(place.partner);
      if (last === undefined || head - last < SILENCE || closed.has(place.channelId)) continue;
      closed.add(place.channelId);
      onMove(`closes on ${place.partner}, who is silent`);
      const proofs = proofsOf(power, place);
      closeWith(power, place, proofs[Math.floor(proofs.length / 2)] ?? null);
    }
  }

  return {
    overhears(parcel) {
      if (powers.has(parcel.from)) return;
      spoke.set(parcel.from, head);
      heard.push(parcel);
      if (heard.length > KEPT) heard.shift();
    },
    block(now) {
      head = now;
      const [first] = powers.values();
      for (let left = REPLAYS; first !== undefined && heard.length > 0 && left > 0; left--)
        replay(first);
      for (const power of powers.values()) closeOnSleepers(power);
    },
  };
}
