/** A partner that falls silent during a payment: it comes back in time, or only when it is too late. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { REVEAL_TIMEOUT, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

let world: World;
let pair: Pair;

beforeAll(async () => {
  world = await startWorld();
  pair = await startPair(world, 1_000n);
  await pair.open();
});
afterAll(() => world?.stop());

/** Alice begins a payment to bob, who falls silent; resolves with what her caller is told in the end. */
async function payInVain(
  silence: () => void,
  more: Record<string, unknown> = {},
): Promise<{ answer: Promise<Answer> }> {
  await pair.meet();
  expect((await pair.pay('alice', 1n)).status).toBe(200);
  await pair.expectAgreement();
  silence();
  const answer = pair.pay('alice', 1n, more);
  await until(() => pair.ledgerOf('alice').payments.length === 1, 'the payment is on its way');
  return { answer };
}

/** The same, and bob dies at the point. */
async function payAndBobDiesAt(
  point: string,
  more: Record<string, unknown> = {},
): Promise<{ answer: Promise<Answer> }> {
  const payment = await payInVain(() => pair.nodes.bob.dieAt(point), more);
  await until(() => pair.nodes.bob.isOver(), `bob dies at ${point}`);
  return payment;
}

/** Lets the lock run out, and the confirmations pass that make it certain. */
const expire = () => world.mine(2n * REVEAL_TIMEOUT + 3n);

describe('a payment to a partner that falls silent', () => {
  it('ends well when the partner goes on before the lock has run out', async () => {
    const { answer } = await payInVain(() => pair.nodes.bob.pause());
    expect((await pair.channelOf('alice')).balance).toBe(998n);
    pair.nodes.bob.resume();
    expect((await answer).status).toBe(200);
    await pair.expectAgreement();
  });

  it.each(['receive.before:1', 'commit.after:1', 'receive.before:2', 'commit.after:2'])(
    'ends well when the partner dies at %s and is started again in time',
    async (point) => {
      const { answer } = await payAndBobDiesAt(point);
      await world.mine(REVEAL_TIMEOUT / 2n);
      await pair.restart('bob');
      expect((await answer).status).toBe(200);
      await pair.expectAgreement();
    },
  );

  it('fails when the partner is silent until the lock has run out', async () => {
    const { answer } = await payInVain(() => pair.nodes.bob.pause());
    const before = await pair.nodes.alice.api.history();
    await expire();
    const { status, body } = await answer;
    expect(status).toBe(409);
    expect(body).toMatchObject({ errors: expect.stringContaining('expired') });
    pair.nodes.bob.resume();
    await pair.expectAgreement();
    const failed = { event: 'EventPaymentSentFailed', target: pair.address.bob };
    expect((await pair.nodes.alice.api.history()).slice(before.length)).toMatchObject([failed]);
  });

  // At the last two the partner knows the secret; only the chain could have saved its claim.
  it.each(['receive.before:1', 'commit.after:1', 'publish.before:1'])(
    'fails when the partner dies at %s and comes back too late',
    (point) => expectFailure(point),
  );

  // With another route to follow, the partner has to ask for the secret, and is given it.
  it.each(['receive.before:2', 'commit.after:2', 'publish.before:2'])(
    'fails when the partner dies at %s, after it asked for the secret, and comes back too late',
    (point) => expectFailure(point, pair.twice()),
  );

  async function expectFailure(point: string, more: Record<string, unknown> = {}): Promise<void> {
    const { answer } = await payAndBobDiesAt(point, more);
    const { balance } = await pair.channelOf('alice');
    await expire();
    expect((await answer).status).toBe(409);
    expect((await pair.channelOf('alice')).balance).toBe(balance + 1n);
    await pair.restart('bob');
    await pair.expectAgreement();
  }

  it('does not keep the next payment from being made', async () => {
    await pair.meet();
    expect((await pair.pay('alice', 1n)).status).toBe(200);
    expect((await pair.pay('bob', 1n)).status).toBe(200);
    await pair.expectAgreement();
  });
});
