/** Calls at the same time for the same tokens: whoever comes late is told that the money is gone. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { anvilCall } from '../support/chain.ts';
import {
  good,
  type Network,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';
import { until } from '../support/until.ts';

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

/** Somebody else opens a channel between alice and bob, with a settle timeout of its own. */
const openForThem = (settleTimeout: bigint) =>
  network.clients.wallet.writeContract({
    address: network.tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'openChannel',
    args: [network.addressOf('alice'), network.addressOf('bob'), settleTimeout],
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 12n,
  });
const openWithBob = () => {
  const [partner = alice.ownAddress] = partners();
  const request = { token: network.token, partner, totalDeposit: TOKENS };
  return alice.openChannel({ ...request, settleTimeout: 100n, revealTimeout: null });
};
const seenByAlice = () => alice.channel(network.token, network.addressOf('bob')) !== null;

it('a node says what a channel is like that somebody else has opened before it, and what can be done', async () => {
  await openForThem(490n);
  await network.whileMining(until(seenByAlice, 'alice sees the channel'));
  const answer = await openWithBob();
  expect(answer).toMatchObject({ ok: false, code: 'channel_exists' });
  const detail = answer.ok ? '' : answer.detail;
  for (const words of ['settle_timeout 490', 'not 100', 'anybody', 'total_withdraw', 'PATCH'])
    expect(detail).toContain(words);
});

it('a node says that somebody else was faster to open a channel between it and its partner', async () => {
  await anvilCall(network.chain, 'evm_setAutomine', false);
  const opening = openWithBob();
  const pool = async () => Object(await anvilCall(network.chain, 'txpool_content')).pending.all;
  await until(async () => Object.keys(await pool()).length > 0, 'alice opens the channel');
  await openForThem(490n);
  await network.mine(1n);
  await anvilCall(network.chain, 'evm_setAutomine', true);
  const answer = await network.whileMining(opening);
  expect(answer).toMatchObject({ ok: false, code: 'channel_exists' });
  expect(answer.ok ? '' : answer.detail).toMatch(/anybody|somebody else/i);
});
