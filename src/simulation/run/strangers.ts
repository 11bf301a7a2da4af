/** Keys that no node has: they sign, and are heard by all nodes. Each is made when an attack first asks for it. */
import { getOrMake } from '../../basics/get-or-make.ts';
import type { Address, Hex } from '../../basics/hex.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Stranger } from '../byzantine/program.ts';
import type { Wiretap } from '../byzantine/wiretap.ts';
import type { Network } from '../network/network.ts';
import { MOST_KEYS } from '../scenario/schema/moves.ts';
import type { SimulatedKeys } from '../signer/fast-crypto.ts';

/** Numbers of these keys, beyond those of all nodes, purses and eavesdroppers. */
const FIRST_STRANGER = 2_000_000;

type Options = {
  crypto: Pick<SimulatedKeys, 'signerOf'>;
  connect: Network['connect'];
  wiretapWith(signer: Signer, name: string): Wiretap;
  /** Called with each key that is made, and the node whose attack made it. */
  onMade(address: Address, index: number): void;
};

export function createStrangers({ crypto, connect, wiretapWith, onMade }: Options) {
  const known = new Map<string, Stranger>();

  function make(index: number, number: number): Stranger {
    const name = `stranger ${index} ${number}`;
    const signer = crypto.signerOf(FIRST_STRANGER + index * MOST_KEYS * 2 + number);
    const wiretap = wiretapWith(signer, name);
    let publish: ReturnType<Network['connect']>['publish'] | null = null;
    const own = signer.address;
    onMade(own, index);
    return {
      own,
      sign: wiretap.sign,
      sign32: (digest): Hex => signer.sign(digest),
      say({ to, messages }) {
        if (publish === null) {
          const transport = connect(own, name);
          transport.onMessage(() => {}, signer.publicKey);
          publish = transport.publish;
        }
        const payload = wiretap.seal(to, messages);
        if (payload !== null) publish(to, payload);
      },
    };
  }

  /** The key of this number that the attack of the node has. */
  return (index: number, number: number): Stranger => {
    const key = `${index} ${number}`;
    return getOrMake(known, key, () => make(index, number));
  };
}
