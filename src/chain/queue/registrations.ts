/**
 * Registrations that are due together share transactions.
 *
 * A batch is put together when it is sent, from the registrations that wait at that moment, the nearest deadline
 * first. It has one row on disk, which also tells its members: they are the secrets in its call. A replacement at
 * another price keeps them.
 */
import { keccak256 } from 'viem';
import { registerSecretsCall } from './calls.ts';
import { type Entries, type Entry, rankOf } from './entries.ts';
import { firstFees, type Market } from './fees.ts';
import { isNear } from './schedule.ts';
import { gasOfBatch, secretsWithin } from './secret-batches.ts';
import type { Sender, Sent } from './sending.ts';

type Parts = { entries: Pick<Entries, 'asidesOf'>; sender: Sender };

/** A batch takes at most this part of a block's gas, so that it still finds room where blocks are small. */
const PART_OF_BLOCK = 8n;

/** The next batch of these, which are in order: as many as a transaction, a block and the money can take. */
export async function nextBatch(
  due: readonly Entry[],
  { entries, sender }: Parts,
  market: Market,
): Promise<readonly Entry[]> {
  const [first] = due;
  if (first === undefined || first.isAlone) return due.slice(0, 1);
  const rank = rankOf(first);
  // What may spend all the money is not sent together with what may not.
  const others = due.filter(
    (one) => !one.isAlone && registryOf(one.job) === registryOf(first.job) && rank === rankOf(one),
  );
  if (others.length === 1) return others;
  const room = market.blockGas / PART_OF_BLOCK;
  // Those go first whose own money reaches, as many as a block takes, whatever tips are said to be usual.
  const reaching = others.filter((one) => reaches(one, market));
  if (rank === 'promised' && reaching.length > 0) return strongest(reaching, secretsWithin(room));
  const fees = firstFees(market, isNear(first.job.deadlineBlock, market.headBlock));
  const affordable = await sender.affordableGas(fees, { ...entries.asidesOf(others), rank });
  return others.slice(0, secretsWithin(affordable < room ? affordable : room));
}

const asideOf = ({ job }: Entry): bigint => job.aside?.() ?? 0n;

/**
 * The one for which most is set aside, and as many more as do not make their batch weaker than it is alone: else it could stand
 * behind what is stuck sooner.
 */
function strongest(some: readonly Entry[], most: number): readonly Entry[] {
  const sorted = some.toSorted((a, b) => (asideOf(a) < asideOf(b) ? 1 : -1)).slice(0, most);
  const best = sorted[0] === undefined ? 0n : asideOf(sorted[0]);
  let sum = 0n;
  const isWeak = sorted.findIndex((one, n) => {
    sum += asideOf(one);
    return sum * gasOfBatch(1) < best * gasOfBatch(n + 1);
  });
  const together = new Set(isWeak < 0 ? sorted : sorted.slice(0, isWeak));
  // In their order, the nearest deadline first.
  return some.filter((one) => together.has(one));
}

/** Whether its own money pays what blocks ask for it alone. */
const reaches = (entry: Entry, { baseFee }: Market): boolean =>
  asideOf(entry) >= gasOfBatch(1) * baseFee;

/** Sends two or more together. Rejects with viem's errors. */
export function sendBatch(
  batch: readonly Entry[],
  { entries, sender }: Parts,
  market: Market,
): Promise<Sent> {
  const [first] = batch;
  const to = first && registryOf(first.job);
  if (first === undefined || to === undefined) throw new Error('a batch of nothing');
  const secrets = new Set(batch.flatMap(({ secret }) => secret ?? []));
  const call = registerSecretsCall(to, [...secrets]);
  const job = `batch:${keccak256(call.data)}`;
  const lostRuns = Math.max(...batch.map((entry) => entry.lostRuns));
  const isLast = isNear(first.job.deadlineBlock, market.headBlock);
  const fees = firstFees(market, isLast);
  const order = { job, step: 0, call, later: [], lostRuns, ...entries.asidesOf(batch) };
  return sender.send({ ...order, rank: rankOf(first) }, fees, market);
}

const registryOf = ({ calls }: Entry['job']) => calls[0]?.to;
