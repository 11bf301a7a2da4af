/** Payments from alice to bob during which one of them is killed at a named point. */
import { expect } from 'vitest';
import type { Name, Pair } from './pair.ts';
import { until } from './until.ts';

export function crashesOf(pair: Pair) {
  let identifier = 0n;

  return {
    /** Both have met, and a payment went through: from here on only the next one is on the wire. */
    async comeToRest(): Promise<void> {
      await pair.meet();
      expect((await pair.pay('alice', 1n)).status).toBe(200);
      await pair.expectAgreement();
    },

    /**
     * A payment of one unit, during which the victim dies if it meets the point. `isPaid`: alice's
     * caller was told that it is made; ask when everything is over.
     */
    async payAndDieAt(victim: Name, point: string) {
      identifier += 1n;
      const node = pair.nodes[victim];
      let status: number | null = null;
      node.dieAt(point);
      pair.pay('alice', 1n, { identifier: String(identifier) }).then(
        (answer) => {
          status = answer.status;
        },
        () => {},
      );
      const isDone = () => status !== null && pair.isQuiet();
      await until(() => node.isOver() || isDone(), `the payment ends, or ${victim} at ${point}`);
      node.spare();
      return { hasDied: !(await node.survives()), isPaid: () => status === 200 };
    },

    /** Whoever was told that the payment is made was told the truth, and nobody is paid twice. */
    async expectOneEnd(isPaid: boolean): Promise<void> {
      await pair.expectAgreement();
      const times = (await pair.nodes.bob.api.history()).filter(
        (event) => 'identifier' in event && event.identifier === identifier,
      ).length;
      expect(isPaid ? [1] : [0, 1]).toContain(times);
    },
  };
}
