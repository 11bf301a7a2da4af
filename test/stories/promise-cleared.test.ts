/** What clears a nonce that is in the way of a promise is offered again and again, whatever gas costs meanwhile. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Job } from '../../src/chain/queue/jobs.ts';
import type { Transaction } from '../../src/simulation/chain/transaction.ts';
import { anvilCall } from '../support/chain.ts';
import { startVirtualNetwork } from '../support/network.ts';
import { beginQueue, registration } from '../support/promises.ts';
import { until } from '../support/until.ts';

const TIP = 10n ** 7n;
const REGISTRATION = 60_000n;
const BETWEEN_BLOCKS = 150;

let network: ReturnType<typeof startVirtualNetwork>;
let sent: Transaction[];
let process: ReturnType<typeof beginQueue>;
beforeEach(async () => {
  network = startVirtualNetwork({});
  sent = [];
  network.simulated.onSubmit((transaction) => void sent.push(transaction));
  network.simulated.setWeather({ usualTip: TIP });
  await anvilCall(network.chain, 'evm_setAutomine', false);
  process = beginQueue(network);
  process.start();
});
afterEach(async () => {
  expect(process.failures).toEqual([]);
  await process.stop();
  await network.stop();
});

const head = () => network.simulated.head();
const price = () => head().baseFee + TIP;
const setBalance = (wei: bigint) =>
  anvilCall(
    network.chain,
    'anvil_setBalance',
    network.signerOf('bob').address,
    `0x${wei.toString(16)}`,
  );
function submit(key: string, number: number, blocks: bigint, more: Partial<Job> = {}): void {
  const deadlineBlock = head().number + blocks;
  process.submit(registration(network, key, number, { deadlineBlock, mayShare: false, ...more }));
}
const isMined = (key: string) => process.outcomes.get(key)?.ok === true;
async function mine(blocks: number) {
  for (let n = 0; n < blocks; n++) {
    await anvilCall(network.chain, 'anvil_mine', '0x1');
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_BLOCKS));
    for (const [key, { ok }] of process.outcomes) if (!ok) process.forget(key);
  }
}
const gas = (used: bigint) =>
  network.simulated.setWeather({
    others: { gas: used, tip: used > head().gasLimit / 2n ? 10n ** 12n : 0n },
  });
const rise = () => gas(head().gasLimit);
const stay = () => gas(head().gasLimit / 2n);
const fall = () => gas(0n);

it.each([
  ['what clears it stays in the pool', false],
  ['the pool lets go of what is far below the base fee', true],
])('a promise is mined after what is in its way came too late, when %s', async (_, isDropped) => {
  const first = price();
  const own = 3n * REGISTRATION * first;
  await setBalance(own);
  rise();
  submit('late', 1, 35n, { leaves: () => own, aside: () => own });
  await until(() => sent.length === 1, 'it is sent');
  await mine(13);
  // Gas costs more than four times as much. The next promise has its own money, for up to ten times what gas cost first.
  const dear = price();
  const more = 3n * REGISTRATION * dear;
  await setBalance(own + more);
  submit('promise', 2, 90n, { leaves: () => own + more, aside: () => more });
  await until(() => sent.some(({ nonce }) => nonce === 1), 'the promise is sent');
  while (price() < 9n * first) await mine(1);
  stay();
  while (head().number < 40n) await mine(1);
  rise();
  await mine(7);
  if (isDropped)
    for (const one of network.simulated.pool.waiting()) network.simulated.pool.drop(one);
  fall();
  while (price() > 2n * dear) await mine(1);
  stay();
  await mine(70);
  expect(price()).toBeLessThan(3n * dear);
  expect(isMined('promise')).toBe(true);
});
