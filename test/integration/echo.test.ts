/** An echo node on real parts: it answers by the rules, once, however often its process dies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 1_000_000n;

describe('an echo node in a process of its own', () => {
  let world: World;
  let alice: NodeProcess;
  let bob: NodeProcess;

  beforeAll(async () => {
    world = await startWorld();
    [alice, bob] = await Promise.all([world.start('alice', { isHere: true }), startBob()]);
    await world.fund(alice.address, DEPOSIT);
    const request = { token_address: world.token, partner_address: bob.address };
    const opening = alice.api.put('/channels', { ...request, total_deposit: String(DEPOSIT) });
    expect((await world.whileMining(opening)).status).toBe(201);
    const isSeen = async () => (await bob.api.channel(world.token, alice.address)) !== null;
    await world.whileMining(until(isSeen, 'bob sees the channel'));
  });
  afterAll(() => world?.stop());

  const startBob = () => world.start('bob', { command: 'echo' });
  /** How often alice was paid under this identifier. */
  const answers = async (identifier: bigint) =>
    (await alice.api.history()).filter(
      (event) =>
        event.event === 'EventPaymentReceivedSuccess' && event.identifier === identifier + 2n,
    ).length;

  async function payAndWait(identifier: bigint): Promise<void> {
    const order = { amount: '2', identifier: String(identifier) };
    void alice.api.post(`/payments/${world.token}/${bob.address}`, order);
    const isAnswered = async () => (await answers(identifier)) > 0;
    await until(async () => bob.isOver() || (await isAnswered()), 'an answer, or a death');
  }

  it('answers each payment exactly once, whichever commit is its last before it is killed', async () => {
    let deaths = 0;
    for (let identifier = 10n; ; identifier += 10n) {
      bob.dieAt(`commit.after:${deaths + 1}`);
      await payAndWait(identifier);
      bob.spare();
      if (await bob.survives()) break;
      deaths += 1;
      bob = await startBob();
      await until(async () => (await answers(identifier)) > 0, 'the answer after the restart');
    }
    // A second answer to an earlier payment would come before the one to this.
    await payAndWait(9_990n);
    // To receive takes two commits at least, and so does the answer.
    expect(deaths).toBeGreaterThanOrEqual(4);
    const identifiers = Array.from({ length: deaths + 1 }, (_, index) => 10n * BigInt(index + 1));
    for (const identifier of [...identifiers, 9_990n]) expect(await answers(identifier)).toBe(1);
  }, 120_000);
});
