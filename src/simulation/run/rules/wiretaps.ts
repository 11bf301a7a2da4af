/** Reads what nodes say to each other: with the keys of a node, or with those of a stranger, for whom nothing is meant. */
import type { Address } from '../../../basics/hex.ts';
import type { Signer } from '../../../signer/signer.ts';
import { createWiretap, type Wiretap } from '../../byzantine/wiretap.ts';
import type { Randomness } from '../../world/randomness.ts';
import type { Scheduler } from '../../world/scheduler.ts';
import type { World } from '../world.ts';

/** Number of the eavesdropper's key, beyond the keys of all nodes and purses. */
const STRANGER = 1_000_000;

type Options = {
  /** Asked when a wiretap is made, which may be before this is. */
  world(): Pick<World, 'crypto' | 'inhabitants' | 'place'>;
  indexOf(address: Address): number | null;
  scheduler: Scheduler;
  randomness: Randomness;
};

export type Wiretaps = ReturnType<typeof createWiretaps>;

export function createWiretaps({ world, indexOf, scheduler, randomness }: Options) {
  const ofNodes = new Map<number, Wiretap>();
  /** The keys with which somebody speaks who has no node. */
  const strangers = new Map<Address, Signer>();
  let stranger: Wiretap | null = null;

  function wiretapWith(signer: Signer, name: string): Wiretap {
    const { place, crypto, inhabitants } = world();
    return createWiretap({
      signer,
      place,
      addressOf: crypto.addressOf,
      cipher: crypto.cipher,
      now: scheduler.now,
      publicKeyOf(address) {
        const index = indexOf(address);
        const signerOf = index === null ? strangers.get(address) : inhabitants[index]?.signer;
        return signerOf?.publicKey ?? null;
      },
      draw: randomness.of(name),
    });
  }

  return {
    /** With a key that no node or purse has. */
    eavesdropper(): Wiretap {
      stranger ??= wiretapWith(world().crypto.signerOf(STRANGER), 'eavesdropper');
      return stranger;
    },
    /** With a key that no node has, whose owner is spoken to from now on. */
    with(signer: Signer, name: string): Wiretap {
      strangers.set(signer.address, signer);
      return wiretapWith(signer, name);
    },
    /** With the keys of this node; null: there is no such node. */
    of(index: number): Wiretap | null {
      const known = ofNodes.get(index);
      const signer = world().inhabitants[index]?.signer;
      if (known !== undefined || signer === undefined) return known ?? null;
      const wiretap = wiretapWith(signer, `wiretap ${index}`);
      ofNodes.set(index, wiretap);
      return wiretap;
    },
  };
}
