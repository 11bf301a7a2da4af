/** Two nodes that send money in a circle through a mediator, to be paid for bringing its channels into balance. */
import type { Address } from '../../basics/hex.ts';
import type { Power, Program } from './program.ts';

type Facts = {
  powers: ReadonlyMap<Address, Power>;
  victims: readonly Address[];
  token: Address;
  onMove(text: string): void;
};
type Purse = { power: Power; capacity: bigint };

/** Blocks from one payment to the next, so that the previous one has ended. */
const PAUSE = 3n;

export function createFeeDrain({ powers, victims, token, onMove }: Facts): Pick<Program, 'block'> {
  let round = 0;

  /** How much each node of the attack can send to the mediator, the most first. */
  function purses(victim: Address): Purse[] {
    const all = [...powers.values()].flatMap((power) => {
      const view = power.node()?.channel(token, victim) ?? null;
      return view === null ? [] : [{ power, capacity: view.balance }];
    });
    return all.sort((a, b) => (a.capacity === b.capacity ? 0 : a.capacity > b.capacity ? -1 : 1));
  }

  /**
   * Sends from the richer to the poorer node half of their difference; when they have about the same, half of what
   * one has, which the next round brings back.
   */
  function send(victim: Address) {
    const [from, ...others] = purses(victim);
    const to = others.at(-1);
    if (from === undefined || to === undefined) return;
    const difference = from.capacity - to.capacity;
    const isEven = difference * 10n < from.capacity;
    const amount = (isEven ? from.capacity : difference) / 2n;
    const node = from.power.node();
    if (node === null || amount === 0n) return;
    onMove(`sends ${amount} round`);
    const request = { token, target: to.power.own, amount, lockTimeout: null };
    node
      .pay({ ...request, paymentId: null, secret: null, secrethash: null, routes: null })
      .catch(() => {});
  }

  return {
    block(head) {
      const victim = victims[round % Math.max(1, victims.length)];
      if (head % PAUSE !== 0n || victim === undefined) return;
      round += 1;
      send(victim);
    },
  };
}
