/**
 * Registrations that are due together share transactions.
 *
 * A batch is put together when it is sent, from the registrations that wait at that moment, the nearest deadline
 * first. It has one row on disk, which also tells its members: they are the secrets in its call. A replacement at
 * another price keeps them.
 */
import { keccak256 } from 'viem';
import { larger } from '../../basics/amount.ts';
import { registerSecretsCall } from './calls.ts';
import { asideOf, type Entries, type Entry, rankOf } from './entries.ts';
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
  if (rank === 'promised' && reaching.length > 0) return together(reaching, secretsWithin(room));
  const fees = firstFees(market, isNear(first.job.deadlineBlock, market.headBlock));
  const affordable = await sender.affordableGas(fees, { ...entries.asidesOf(others), rank });
  return others.slice(0, secretsWithin(affordable < room ? affordable : room));
}

/**
 * The first, whose deadline is nearest, and others for which about as much is set aside: of those each has at least half of what the
 * strongest has. More secrets in one transaction take half of the gas each, so the batch is not weaker than its strongest is alone: it
 * could stand behind what is stuck sooner.
 */
function together(some: readonly Entry[], most: number): readonly Entry[] {
  const limit = 2n * (some[0] === undefined ? 0n : asideOf(some[0]));
  const asides = some.map((one) => asideOf(one)).filter((aside) => aside <= limit);
  const best = asides.reduce(larger, 0n);
  const isAlike = (aside: bigint) => aside <= best && 2n * aside >= best;
  return some.filter((one) => isAlike(asideOf(one))).slice(0, most);
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
