/** What an initiator could seal for the target of a payment in place of its secret and what is to arrive. */
import { fromHex, type Hex, toHex } from '../../basics/hex.ts';
import type { LockChange } from '../../protocol/messages/changes.ts';
import { routesIn, routesMetadata, sealedSecretIn } from '../../protocol/wire/metadata.ts';
import type { Move } from '../scenario/schema/moves.ts';
import type { Power } from './program.ts';

type WrongSeal = Extract<Move, { do: 'seal' }>['what'];

/** The lock with another promise to its target; unchanged when it is no payment of this node, or has none. */
export function withSeal(power: Power, change: LockChange, what: WrongSeal): LockChange {
  const { target, paymentId, token, lock, metadata } = change;
  const sealed = sealedSecretIn(metadata);
  const [route] = routesIn(metadata);
  if (change.initiator !== power.own || sealed === null || route === undefined) return change;
  const payment = { secrethash: lock.secrethash, paymentId, token };
  const promised = power.promises.open(target, payment, sealed);
  if (promised === null) return change;
  const other = (): Hex | null => {
    const { seal } = power.promises;
    switch (what) {
      case 'nothing':
        return null;
      case 'noise':
        return toHex(power.draw.bytes(fromHex(sealed).length));
      case 'other_secret':
        return seal(target, payment, { ...promised, secret: toHex(power.draw.bytes(32)) });
      case 'other_payment':
        return seal(target, { ...payment, paymentId: paymentId ^ 1n }, promised);
      case 'more':
        return seal(target, payment, { ...promised, amount: lock.amount + 1n });
      case 'less':
        return seal(target, payment, { ...promised, amount: 0n });
    }
  };
  return { ...change, metadata: routesMetadata(route, other()) };
}
