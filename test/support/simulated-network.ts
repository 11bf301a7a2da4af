/** A simulated network with three nodes on it that only listen and speak. */

import type { Address } from '../../src/basics/hex.ts';
import type { Sighting, Transport } from '../../src/partner/transport.ts';
import { createNetwork, type NetworkOptions } from '../../src/simulation/network/network.ts';
import type { Sight } from '../../src/simulation/network/parcel.ts';
import { createFastCrypto } from '../../src/simulation/signer/fast-crypto.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import { createScheduler } from '../../src/simulation/world/scheduler.ts';

const crypto = createFastCrypto('network');
const [alice, bob, carol] = [crypto.signerOf(0), crypto.signerOf(1), crypto.signerOf(2)];
export const [ALICE, BOB, CAROL] = [alice.address, bob.address, carol.address];
const KEYS = new Map([alice, bob, carol].map((one) => [one.address, one.publicKey]));

/** Under this address nobody ever listens. */
export const NOBODY = crypto.signerOf(9).address;

/** A network with Alice, Bob and Carol on it, and what each of them has heard. */
export function openNetwork(seed = 1, options: Partial<NetworkOptions> = {}) {
  const scheduler = createScheduler(0);
  const randomness = createRandomness(seed);
  const latencyMs = { least: 10, most: 50 };
  const network = createNetwork({ scheduler, randomness, latencyMs, ...options });
  const heard: string[] = [];
  const sights: Sight[] = [];
  network.tap((sight) => sights.push(sight));

  function join(address: Address, process: string): Transport {
    const transport = network.connect(address, process);
    const listen = (payload: Uint8Array) =>
      heard.push(`${process} ${Buffer.from(payload).toString()}`);
    transport.onMessage(listen, KEYS.get(address) ?? new Uint8Array(65));
    return transport;
  }
  /** Lets time pass until nothing is planned any more. */
  async function settle() {
    do await Promise.resolve();
    while (scheduler.step());
  }
  async function asked(question: Promise<Sighting>): Promise<Sighting['state']> {
    let state: Sighting['state'] | null = null;
    void question.then((sighting) => {
      state = sighting.state;
    });
    for (let n = 0; n < 20; n++) await settle();
    if (state === null) throw new Error('the question was not answered');
    return state;
  }
  const [a, b, c] = [join(ALICE, 'a'), join(BOB, 'b'), join(CAROL, 'c')];
  return { network, scheduler, heard, sights, join, settle, asked, a, b, c };
}

export const text = (word: string) => Buffer.from(word);
export const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);
