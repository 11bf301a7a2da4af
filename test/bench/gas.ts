/**
 * Gas of the token network's functions, in a network that is in use: it holds tokens, its
 * participants hold tokens, and channels were opened before. Other counts of locks are shown without target.
 */
import { keccak256, numberToHex, sha256 } from 'viem';
import { secretRegistryAbi } from '../../src/contracts/generated/SecretRegistry.ts';
import {
  type Chain,
  done,
  type Outcome,
  person,
  startChain,
  toNetwork,
} from '../contracts/chain.ts';
import * as channel from '../contracts/channel.ts';
import {
  type Lock,
  NO_TRANSFERS,
  type Place,
  packLocks,
  proofOf,
  type Transfers,
} from '../contracts/sign.ts';
import { type Measured, report } from './report.ts';

/** `reference` is generation 0.40's figure. */
type Row = Measured & { target?: number };

/** Target and figure of generation 0.40 for each function. */
const GOALS: Record<string, [target: number, generation040: number]> = {
  openChannel: [90_000, 113_248],
  openChannelWithDeposit: [130_000, 162_350],
  closeChannel: [95_000, 118_846],
  updateNonClosingBalanceProof: [75_000, 90_946],
  'settleChannel without locks': [75_000, 86_187],
  'settleChannel with locks': [140_000, 166_923],
  'setTotalWithdraw (first)': [85_000, 98_060],
  cooperativeSettle: [120_000, 142_337],
  'unlock of 1 lock': [55_000, 59_031],
};

const alice = person(1);
const bob = person(2);
const FAR = 1_000_000n;
const rows: Row[] = [];

function measure(metric: string, outcome: Outcome): void {
  const value = Number(done(outcome).gas);
  const goal = GOALS[metric];
  rows.push({ metric, value, unit: 'gas', ...(goal && { target: goal[0], reference: goal[1] }) });
}

function someLocks(count: number): { locks: Lock[]; secrets: `0x${string}`[] } {
  const secrets = Array.from({ length: count }, (_, i) =>
    numberToHex(i + 1 + count * 1000, { size: 32 }),
  );
  const locks = secrets.map((secret) => ({
    expiration: FAR,
    amount: 1n,
    secrethash: sha256(secret),
  }));
  return { locks, secrets };
}

const sentWith = (transferred: bigint, locks: readonly Lock[]): Transfers => ({
  transferred,
  locked: locks.reduce((sum, { amount }) => sum + amount, 0n),
  locksroot: keccak256(packLocks(locks)),
});

/** An open channel in which each participant deposited 1,000. */
async function funded(chain: Chain, one = alice, two = bob): Promise<Place> {
  const place = await channel.open(chain, one, two);
  await channel.fundAndDeposit(chain, place, one, two, 1_000n);
  await channel.fundAndDeposit(chain, place, two, one, 1_000n);
  return place;
}

async function opening(chain: Chain): Promise<void> {
  const opened = await chain.send({
    ...toNetwork(chain),
    functionName: 'openChannel',
    args: [person(3).address, person(4).address, 500n],
  });
  measure('openChannel', opened);
  await channel.fund(chain, person(5).address, 2_000n);
  const withDeposit = await chain.send({
    ...toNetwork(chain),
    from: person(5).address,
    functionName: 'openChannelWithDeposit',
    args: [person(5).address, person(6).address, 500n, 1_000n],
  });
  measure('openChannelWithDeposit', withDeposit);
}

async function withdrawing(chain: Chain): Promise<void> {
  const place = await funded(chain);
  const first = await channel.consent(place, alice, bob, 300n, FAR);
  measure('setTotalWithdraw (first)', await channel.withdraw(chain, place.id, first));
  const second = await channel.consent(place, alice, bob, 400n, FAR);
  measure('setTotalWithdraw (second)', await channel.withdraw(chain, place.id, second));
  const [one, two] = [
    await channel.consent(place, alice, bob, 900n, FAR),
    await channel.consent(place, bob, alice, 1_100n, FAR),
  ];
  const settled = await chain.send({
    ...toNetwork(chain),
    functionName: 'cooperativeSettle',
    args: [place.id, one, two],
  });
  measure('cooperativeSettle', settled);
}

/** Close, update, settle and, when there are locks, unlock; each side sent what is given. */
async function disputed(
  chain: Chain,
  byAlice: Transfers,
  byBob: Transfers,
  name: string,
): Promise<bigint> {
  const place = await funded(chain);
  const closing = await channel.closeEvidence(place, alice, bob, proofOf(byBob, 5n));
  const closed = await channel.close(chain, place.id, alice, bob, closing);
  const updating = await channel.updateEvidence(place, alice, bob, proofOf(byAlice, 7n));
  const updated = await channel.update(chain, place.id, alice, bob, updating);
  await chain.goTo(done(closed).block + 11n);
  const settled = await channel.settle(
    chain,
    place.id,
    { ...byAlice, address: alice.address },
    { ...byBob, address: bob.address },
  );
  if (name === 'without locks') {
    measure('closeChannel', closed);
    measure('updateNonClosingBalanceProof', updated);
  }
  measure(`settleChannel ${name}`, settled);
  return place.id;
}

async function unlocking(chain: Chain, count: number): Promise<void> {
  const { locks, secrets } = someLocks(count);
  const registry = { to: chain.deployment.secretRegistryAddress, abi: secretRegistryAbi } as const;
  const registered = await chain.send({
    ...registry,
    functionName: 'registerSecretBatch',
    args: [secrets],
  });
  measure(`registerSecretBatch of ${count}`, registered);
  const name = count === 1 ? 'with locks' : `with ${count} locks`;
  const id = await disputed(chain, sentWith(10n, locks), sentWith(20n, locks), name);
  const packed = packLocks(locks);
  const unlocked = await channel.unlock(chain, id, bob.address, alice.address, packed);
  measure(`unlock of ${count} lock${count === 1 ? '' : 's'}`, unlocked);
}

const chain = await startChain();
await channel.fund(chain, alice.address, 10_000n);
await channel.fund(chain, bob.address, 10_000n);
await funded(chain, person(7), person(8));
await opening(chain);
await withdrawing(chain);
await disputed(
  chain,
  { ...NO_TRANSFERS, transferred: 10n },
  { ...NO_TRANSFERS, transferred: 20n },
  'without locks',
);
for (const count of [1, 6, 160]) await unlocking(chain, count);
report('gas', rows);
