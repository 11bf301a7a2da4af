/** adv7: attacks on the queue. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../src/chain/queue/jobs.ts';
import type { Transaction } from '../../src/simulation/chain/transaction.ts';
import { anvilCall, memoryStorage } from '../support/chain.ts';
import { startVirtualNetwork } from '../support/network.ts';
import { beginQueue, registration } from '../support/promises.ts';
import { until } from '../support/until.ts';

const TIP = 10n ** 7n;
const REGISTRATION = 60_000n;
const BETWEEN_BLOCKS = 150;
const LOUD = 500n * 10n ** 9n;

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
const owner = () => network.signerOf('bob').address;
const setBalance = (wei: bigint) =>
  anvilCall(network.chain, 'anvil_setBalance', owner(), `0x${wei.toString(16)}`);
const balance = () => network.chain.client.getBalance({ address: owner() });
function submit(key: string, number: number, blocks: bigint, more: Partial<Job> = {}): void {
  const deadlineBlock = head().number + blocks;
  deadlines.set(key, deadlineBlock);
  process.submit(registration(network, key, number, { deadlineBlock, mayShare: true, ...more }));
}
const deadlines = new Map<string, bigint>();
/** In time. */
const isMined = (key: string) => {
  const outcome = process.outcomes.get(key);
  return outcome?.ok === true && outcome.minedBlock <= (deadlines.get(key) ?? 0n);
};
async function mine(blocks: number) {
  for (let n = 0; n < blocks; n++) {
    await anvilCall(network.chain, 'anvil_mine', '0x1');
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_BLOCKS));
    for (const [key, { ok }] of process.outcomes) if (!ok) process.forget(key);
  }
}
const fill = (isFull: boolean) =>
  network.simulated.setWeather({
    others: { gas: head().gasLimit / (isFull ? 1n : 2n), tip: isFull ? 10n ** 12n : 0n },
  });
const ratio = (to: bigint) => Number((head().baseFee * 1000n) / to) / 1000;
async function tell(title: string, to: bigint) {
  const rows = sent.map((t) => `${t.nonce}:${t.gas}@${Number((t.maxFeePerGas * 1000n) / to) / 1000}`);
  console.log(title, 'base/price', ratio(to), 'balance/180k', Number(((await balance()) * 1000n) / (180_000n * to)) / 1000, rows.slice(-14).join(' '));
}

describe('T1: an eighth', () => {
  it.each([
    ['control: sent a block earlier', 0, 9],
    ['attack', 1, 8],
  ])('%s: full blocks: %s and %s', async (name, before, full) => {
    fill(false);
    await mine(2);
    const first = price();
    const all = 3n * REGISTRATION * first;
    await setBalance(all);
    fill(true);
    await mine(before);
    submit('promise', 1, 100n, { leaves: () => all, aside: () => all });
    await until(() => sent.length >= 1, 'it is sent');
    await mine(full);
    fill(false);
    await mine(100 - full);
    await tell(`T1 ${name}`, first);
    expect(ratio(first)).toBeLessThan(3);
    expect(isMined('promise')).toBe(true);
  });
});

describe('T2: clearing near the end spends what is set aside for others, on tips', () => {
  it.each([
    ['control: usual tips', true, TIP],
    ['control: nothing in the way, loud tips', false, LOUD],
    ['attack: loud tips', true, LOUD],
  ])('%s', async (name, isCheap, tip) => {
    const first = price();
    const unit = 3n * REGISTRATION * first;
    const cheap = isCheap ? unit / 2n : 0n;
    const all = cheap + 2n * unit;
    let dues = all;
    await setBalance(all);
    fill(true);
    const leaves = () => dues;
    if (isCheap) {
      submit('cheap', 2, 200n, { mayShare: false, leaves, aside: () => cheap });
      await until(() => sent.length >= 1, 'the cheap one is sent');
    }
    const count = sent.length;
    submit('dear', 1, 30n, { mayShare: false, leaves, aside: () => unit });
    await until(() => sent.length >= count + 1, 'the dear one is sent');
    await mine(6);
    fill(false);
    network.simulated.setWeather({ usualTip: tip });
    await mine(14);
    await tell(`T2 ${name} before V`, first);
    if (isMined('dear')) dues -= unit;
    submit('victim', 3, 30n, { mayShare: false, leaves, aside: () => unit });
    await mine(32);
    await tell(`T2 ${name}`, first);
    expect(ratio(first)).toBeLessThan(3);
    expect([isMined('dear'), isMined('victim')]).toEqual([true, true]);
  });
});

describe('T3: cheap ones near their end spend what is set aside for others', () => {
  it.each([
    ['control: none', 0, 12n],
    ['control: far from their end', 5, 200n],
    ['attack', 5, 12n],
    ['attack with two', 2, 12n],
    ['control with two', 2, 200n],
  ])('%s', async (name, count, blocks) => {
    fill(false);
    const first = price();
    const unit = 3n * REGISTRATION * first;
    const cheap = unit / 10n;
    let dues = unit + BigInt(count) * cheap;
    await setBalance(dues);
    const leaves = () => dues;
    for (let n = 0; n < count; n++) submit(`cheap ${n}`, 10 + n, blocks, { leaves, aside: () => cheap });
    await mine(10);
    const done = Array.from({ length: count }, (_, n) => n).filter((n) => isMined(`cheap ${n}`)).length;
    dues -= BigInt(done) * cheap;
    await tell(`T3 ${name}, ${done} mined, before V`, first);
    if (count > 0) {
      fill(true);
      await mine(count === 2 ? 9 : 6);
      fill(false);
    }
    submit('victim', 3, 40n, { mayShare: false, leaves, aside: () => unit });
    await mine(42);
    await tell(`T3 ${name}`, first);
    expect(ratio(first)).toBeLessThan(3);
    expect(isMined('victim')).toBe(true);
  });
});

describe('T5: behind a cheap one', () => {
  it.each([
    ['control: none', 0, TIP, 14],
    ['control: none, loud', 0, LOUD, 15],
    ['control: none, 2 times', 0, TIP, 20],
    ['attack', 1, TIP, 14],
    ['attack, 1.2 times', 1, LOUD, 15],
    ['attack, 2 times', 1, TIP, 20],
    ['attack, 2 times, 3 cheap', 3, TIP, 20],
  ])('%s', async (name, cheaps, tip, full) => {
    const first = price();
    const cheap = (3n * REGISTRATION * first) / 2n;
    const dear = 5n * 3n * REGISTRATION * first;
    const all = BigInt(cheaps) * cheap + dear;
    await setBalance(all);
    fill(true);
    const leaves = () => all;
    for (let n = 1; n <= cheaps; n++) {
      submit(`cheap ${n}`, 10 + n, 300n, { mayShare: false, leaves, aside: () => cheap });
      await until(() => sent.length >= n, 'the cheap one is sent');
    }
    network.simulated.setWeather({ usualTip: tip });
    submit('dear', 1, 80n, { mayShare: false, leaves, aside: () => dear });
    await until(() => sent.length >= cheaps + 1, 'the dear one is sent');
    await mine(full);
    fill(false);
    await mine(82 - full);
    await tell(`T5 ${name}`, 5n * first);
    expect(ratio(5n * first)).toBeLessThan(3);
    expect(isMined('dear')).toBe(true);
  });
});

describe('T10: a cheap one near its end is offered without a tip, and holds its nonce', () => {
  it.each([
    ['control: no cheap one', false, TIP / 10n],
    ['control: miners take all', true, 0n],
    ['attack', true, TIP / 10n],
  ])('%s', async (name, isCheap, leastTip) => {
    fill(false);
    network.simulated.setWeather({ leastTip });
    const first = price();
    const unit = 3n * REGISTRATION * first;
    const cheap = isCheap ? unit / 10n : 0n;
    const all = 3n * unit + cheap;
    await setBalance(all);
    const leaves = () => all;
    if (isCheap) submit('cheap', 2, 20n, { leaves, aside: () => cheap });
    await mine(2);
    submit('victim', 1, 24n, { leaves, aside: () => unit, mayShare: false });
    await mine(30);
    await tell(`T10 ${name}`, first);
    expect(ratio(first)).toBeLessThan(1.1);
    expect(isMined('victim')).toBe(true);
  });
});

/** Riders of many prices, due at once; those whose bound is not passed must be mined. */
describe('T16: many prices in one batch', () => {
  it.each([
    ['shared', true, 18, false, TIP],
    ['shared, loud', true, 18, false, LOUD],
    ['shared, restarts', true, 18, true, TIP],
    ['alone', false, 18, false, TIP],
    ['shared, slow', true, 12, false, TIP],
    ['shared, restarts, loud', true, 12, true, LOUD],
  ])('%s', async (name, mayShare, full, isRestarted, tip) => {
    const storage = memoryStorage();
    await process.stop();
    process = beginQueue(network, { storage });
    process.start();
    fill(false);
    await mine(2);
    const first = price();
    network.simulated.setWeather({ usualTip: tip });
    const unit = 3n * REGISTRATION * first;
    const count = 30;
    const asideOf = (n: number) => (unit * BigInt(n)) / 5n;
    let sum = 0n;
    for (let n = 1; n <= count; n++) sum += asideOf(n);
    await setBalance(sum);
    fill(true);
    const give = (n: number) => {
      const key = `rider ${n}`;
      if (process.outcomes.has(key)) return;
      process.submit(
        registration(network, key, n, {
          deadlineBlock: deadlines.get(key) ?? 0n,
          mayShare,
          leaves: () => sum,
          aside: () => asideOf(n),
        }),
      );
    };
    for (let n = 1; n <= count; n++) deadlines.set(`rider ${n}`, head().number + 60n + BigInt(n % 3));
    for (let n = 1; n <= count; n++) give(n);
    for (let block = 0; block < full; block++) {
      await mine(1);
      if (isRestarted && block % 4 === 3) {
        const { outcomes } = process;
        await process.stop();
        process = beginQueue(network, { storage });
        for (const [key, outcome] of outcomes) process.outcomes.set(key, outcome);
        for (let n = 1; n <= count; n++) give(n);
        process.start();
      }
    }
    fill(false);
    await mine(66 - full);
    await tell(`T16 ${name}`, first);
    const lost = [];
    for (let n = 1; n <= count; n++)
      if (!isMined(`rider ${n}`) && (n / 5) * 3 >= ratio(first)) lost.push(n);
    expect(lost).toEqual([]);
  });
});

describe('T4: several are cleared at once for one slack', () => {
  it.each([
    ['control: usual tips', 3, TIP],
    ['control: one in the way, loud', 1, LOUD],
    ['attack: loud', 3, LOUD],
  ])('%s', async (name, count, tip) => {
    fill(false);
    await mine(2);
    const first = price();
    const unit = 3n * REGISTRATION * first;
    const cheap = unit / 2n;
    const rich = (unit * 5n) / 2n;
    let dues = BigInt(count) * cheap + rich + 2n * unit;
    const leaves = () => dues;
    await setBalance(dues);
    fill(true);
    for (let n = 1; n <= count; n++) {
      submit(`cheap ${n}`, 10 + n, 200n, { mayShare: false, leaves, aside: () => cheap });
      await until(() => sent.length >= n, 'the cheap one is sent');
    }
    submit('rich', 1, 100n, { mayShare: false, leaves, aside: () => rich });
    await until(() => sent.length >= count + 1, 'the rich one is sent');
    await mine(5);
    network.simulated.setWeather({ usualTip: tip });
    await mine(1);
    fill(false);
    await mine(8);
    await tell(`T4 ${name} before V, rich: ${isMined('rich')}`, first);
    if (isMined('rich')) dues -= rich;
    for (const n of [1, 2]) submit(`victim ${n}`, 3 + n, 40n, { leaves, aside: () => unit });
    await mine(90);
    await tell(`T4 ${name}`, first);
    expect(ratio(first)).toBeLessThan(3);
    expect([1, 2].map((n) => isMined(`victim ${n}`))).toEqual([true, true]);
    expect(isMined('rich')).toBe(true);
  });
});

describe('T12: one within its bound is cleared after a restart', () => {
  it.each([
    ['control: no restart, loud', false, LOUD],
    ['control: usual tips', true, TIP],
    ['attack', true, LOUD],
  ])('%s', async (name, isRestarted, tip) => {
    const storage = memoryStorage();
    await process.stop();
    process = beginQueue(network, { storage });
    process.start();
    fill(false);
    await mine(2);
    const first = price();
    const unit = 3n * REGISTRATION * first;
    const leaves = () => 2n * unit;
    await setBalance(2n * unit);
    fill(true);
    const give = () => {
      for (const [key, n, blocks] of [['slow', 2, 60n], ['near', 1, 20n]] as const) {
        if (!deadlines.has(`${name}${key}`)) deadlines.set(`${name}${key}`, head().number + blocks);
        deadlines.set(key, deadlines.get(`${name}${key}`) ?? 0n);
      }
      const more = { mayShare: false, leaves, aside: () => unit };
      process.submit(registration(network, 'slow', 2, { deadlineBlock: deadlines.get('slow') ?? 0n, ...more }));
    };
    const giveNear = () =>
      process.submit(registration(network, 'near', 1, { deadlineBlock: deadlines.get('near') ?? 0n, mayShare: false, leaves, aside: () => unit }));
    give();
    await until(() => sent.length >= 1, 'the first is sent');
    giveNear();
    await until(() => sent.length >= 2, 'the second is sent');
    if (isRestarted) await process.stop();
    if (!isRestarted) await mine(8);
    else for (let n = 0; n < 8; n++) await anvilCall(network.chain, 'anvil_mine', '0x1');
    network.simulated.setWeather({ usualTip: tip });
    if (isRestarted) {
      process = beginQueue(network, { storage });
      give();
      giveNear();
      process.start();
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_BLOCKS));
    }
    fill(false);
    await mine(55);
    await tell(`T12 ${name}`, first);
    expect(ratio(first)).toBeLessThan(3);
    expect(['slow', 'near'].map(isMined)).toEqual([true, true]);
  });
});
