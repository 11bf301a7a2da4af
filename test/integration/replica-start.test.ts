/** A node that starts while the stream of its replica is away: it guards its channels, and begins when it is there. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { createStream, launchMachine, REPLICATED, withOutput } from '../support/replicated.ts';
import { until } from '../support/until.ts';

let world: World;
let pair: Pair;
let bringBack: (() => Promise<void>) | null = null;

beforeAll(async () => {
  world = await startWorld({ hasStreams: true });
  await createStream(world);
  pair = await startPair(world, 1_000n, REPLICATED, { isHere: true });
  await pair.open();
});
afterAll(async () => {
  await bringBack?.();
  await world?.stop();
});

const ask = (path: string) => fetch(`${pair.nodes.alice.api.url}${path}`);
const lives = async () => (await ask('/livez').catch(() => null))?.status === 200;
const readyz = async () => (await ask('/readyz')).json();
const eventNames = async () => (await world.events()).map(({ eventName }) => eventName);

it('says nothing beside a process with its key that has another stream, and that one goes on', async () => {
  await createStream(world, 1, 'another');
  const rival = await launchMachine(world, 'second', { options: { replicate: 'another' } });
  const isSilent = () => /safe mode.*the same key is in use/.test(rival.output.join('\n'));
  await withOutput([rival], until(isSilent, 'the second one only guards its channels'));
  expect((await pair.pay('bob', 5n)).status).toBe(200);
  expect(pair.nodes.alice.output.join('\n')).not.toContain('another process with this key');
  await rival.kill();
}, 60_000);

it('brings the proof of its partner on chain from a copy in memory, and writes nothing', async () => {
  await pair.pay('bob', 7n);
  await until(pair.isQuiet, 'the payment is over');
  await pair.nodes.alice.stop();
  bringBack = await world.killBroker();
  await pair.relaunch('alice');
  await until(lives, 'it answers', 60_000);
  expect(await readyz()).toMatchObject({ code: 'safe_mode' });
  const before = pair.ledgerOf('alice');
  const path = `/channels/${world.token}/${pair.address.alice}`;
  await world.whileMining(pair.nodes.bob.api.patch(path, { state: 'closed' }));
  const isBrought = async () => (await eventNames()).includes('NonClosingBalanceProofUpdated');
  await world.whileMining(until(isBrought, 'the proof is on chain'));
  expect(pair.ledgerOf('alice')).toEqual(before);
}, 120_000);

it('begins when the stream is there, and knows what happened', async () => {
  await bringBack?.();
  bringBack = null;
  await pair.nodes.alice.ready();
  expect((await pair.channelOf('alice')).state).toBe('closed');
  await world.whileMining(
    until(async () => (await pair.findChannel('alice')) === null, 'it is settled', 60_000),
  );
  expect(await eventNames()).toContain('ChannelSettled');
}, 120_000);
