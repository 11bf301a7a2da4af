/** Calls at the same time for the same tokens: whoever comes late is told that the money is gone. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  good,
  type Network,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';

let network: Network;
let alice: TestNode;

beforeEach(async () => {
  network = startVirtualNetwork();
  await network.fund('alice', 15n * TOKENS);
  alice = await network.start('alice');
  for (const name of ['bob', 'carol']) await network.start(name);
});
afterEach(() => network?.stop());

const partners = () => ['bob', 'carol'].map(network.addressOf);
const open = (totalDeposit: bigint) =>
  partners().map((partner) => {
    const timeouts = { settleTimeout: null, revealTimeout: null };
    return alice.openChannel({ token: network.token, partner, totalDeposit, ...timeouts });
  });

it('a node opens one of two channels that its tokens do not suffice for together', async () => {
  const answers = await network.whileMining(Promise.all(open(10n * TOKENS)));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  expect(answers.find(({ ok }) => !ok)).toMatchObject({ code: 'insufficient_balance' });
});

it('a node deposits into one of two channels that its tokens do not suffice for together', async () => {
  for (const answer of await network.whileMining(Promise.all(open(0n)))) good(answer);
  const both = partners().map((partner) => alice.deposit(network.token, partner, 8n * TOKENS));
  const answers = await network.whileMining(Promise.all(both));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  expect(answers.find(({ ok }) => !ok)).toMatchObject({
    code: 'insufficient_balance',
    detail: expect.stringContaining('Another call has spent the tokens'),
  });
});
