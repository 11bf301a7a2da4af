/** A node whose database goes to a stream, and a second one with the same key that waits to take its place. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fromHex, toHex } from '../../src/basics/hex.ts';
import { expectMirrored, expectSamePayments } from './agreement.ts';
import type { PaymentEvent } from './api.ts';
import { notOnceIn } from './callers.ts';
import { anvilAccount } from './chain.ts';
import { isAtRest, readLedger } from './ledger.ts';
import type { NodeProcess, StartOptions, World } from './processes.ts';
import { callProgram } from './program.ts';
import { until } from './until.ts';
import type { Wiretap } from './wiretap.ts';

export const STREAM = 'alice';
/** Its end with code 4 is no surprise. */
export const REPLICATED: StartOptions = { options: { replicate: STREAM }, isRefused: true };
/** What a standby that takes over by itself is started with, in seconds. */
export const BY_ITSELF = { 'takeover-after': '6' };

/** Runs `sluice replica …` with the key of alice. */
export function replica(world: World, verb: string, more: readonly string[] = []) {
  const own = ['--nats', world.natsUrl, '--replicate', STREAM];
  const key = [
    ...[
      '--keystore-path',
      join(world.home('alice'), 'keys'),
      '--password-file',
      world.passwordFile,
    ],
    ...['--eth-rpc-endpoint', world.anvil.rpc, '--contracts', world.contractsFile],
  ];
  return callProgram(['replica', verb, ...own, ...(verb === 'create' ? [] : key), ...more]);
}

export async function createStream(world: World, replicas = 1, stream = STREAM): Promise<void> {
  const more = ['--replicas', String(replicas), '--replicate', stream];
  const made = await replica(world, 'create', more);
  if (made.code !== 0) throw new Error(made.stderr);
}

/** Starts the node of alice's key on a machine of its own: that of the name. */
export async function launchMachine(
  world: World,
  name: string,
  start: StartOptions = {},
): Promise<NodeProcess> {
  const home = join(world.folder, `home of ${name}`);
  mkdirSync(home, { recursive: true });
  // Alice is the world's first node.
  const key = fromHex(toHex(anvilAccount(1).getHdKey().privateKey ?? new Uint8Array()));
  if (!existsSync(join(world.home(name), 'keys'))) await world.createKey(name, key);
  return world.launch(name, {
    ...REPLICATED,
    ...start,
    options: { ...REPLICATED.options, ...start.options },
    env: { ...start.env, ...(name === 'alice' ? {} : { HOME: home }) },
  });
}

/** Starts it as a standby. */
export function launchStandby(
  world: World,
  name: string,
  options: Record<string, string> = {},
  start: Omit<StartOptions, 'options'> = {},
): Promise<NodeProcess> {
  return launchMachine(world, name, { ...start, options: { standby: [], ...options } });
}

/** Waits for the work; if it fails, says what these nodes have written last as well. */
export function withOutput<T>(nodes: readonly NodeProcess[], work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const lines = nodes.flatMap(({ name, output }) => [`${name} wrote:`, ...output.slice(-9)]);
    throw new Error([String(error), ...lines].join('\n  '));
  });
}

/** Resolves when the standby follows, and has nothing left to read. */
export async function whenFollowing(world: World, standby: NodeProcess): Promise<void> {
  const isFollowing = () => standby.output.some((line) => line.startsWith('standby:'));
  await withOutput([standby], until(isFollowing, `${standby.name} follows`));
  const near = new RegExp(`process ${standby.pid} on \\S+, [0-3] records behind`);
  const isNear = async () => near.test((await replica(world, 'status')).stdout);
  await withOutput([standby], until(isNear, `${standby.name} has read what is there`));
}

/** Resolves when one of the standbys has taken over, with that one. */
export async function firstReady(...nodes: NodeProcess[]): Promise<NodeProcess> {
  await until(() => nodes.some((node) => node.isReady()), 'a standby has taken over');
  const [found] = nodes.filter((node) => node.isReady());
  if (found === undefined) throw new Error('nobody has taken over');
  return found;
}

type Outcome = {
  world: World;
  /** Who is the node by now, and its partner. */
  survivor: NodeProcess;
  partner: NodeProcess;
  /** The payments of which callers were told that they are made. */
  paid: readonly bigint[];
  tap: Pick<Wiretap, 'conflicts'>;
};

/**
 * Waits until nothing is on its way. Then each payment of which a caller heard is on record on both sides exactly once,
 * both agree on the channel to the unit, and nobody has signed two things for the same place.
 */
export async function expectWhole(outcome: Outcome): Promise<void> {
  const { world, survivor, partner, paid, tap } = outcome;
  const ledgers = () =>
    [survivor, partner].map(({ name }) => readLedger(join(world.home(name), 'node.db')));
  const resting = until(() => ledgers().every(isAtRest), 'nothing is on its way');
  await withOutput([survivor, partner], resting).catch((error: unknown) => {
    const left = ledgers().map(({ payments, outbox, jobs }) => ({ payments, outbox, jobs }));
    throw new Error(`${String(error)}\n${JSON.stringify(left).slice(0, 2_000)}`);
  });
  const [own, partners] = ledgers();
  expectMirrored(own?.channels ?? [], partners?.channels ?? []);
  const [sent, received] = await Promise.all([historyOf(survivor), historyOf(partner)]);
  expectSamePayments(sent, received);
  expect(notOnceIn(sent, paid)).toEqual([]);
  expect(notOnceIn(received, paid)).toEqual([]);
  expect(tap.conflicts()).toEqual([]);
}

/** On a busy machine the stream may be late: then the node answers nothing for a moment. */
async function historyOf({ api, name }: NodeProcess): Promise<PaymentEvent[]> {
  const answers: PaymentEvent[][] = [];
  const isAnswered = () =>
    api.history().then(
      (events) => answers.push(events) > 0,
      (error: unknown) => {
        if (String(error).includes('answered 503')) return false;
        throw error;
      },
    );
  await until(isAnswered, `${name} answers`);
  return answers.flat();
}
