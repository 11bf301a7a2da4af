/** An ordered takeover while the node pays all the time: it comes, it is told about, and nothing is lost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCallers } from '../support/callers.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import {
  BY_ITSELF,
  createStream,
  expectWhole,
  launchStandby,
  REPLICATED,
  replica,
  whenFollowing,
} from '../support/replicated.ts';
import { tapWire, type Wiretap } from '../support/wiretap.ts';

const TAKEOVERS = 2;

let world: World;
let pair: Pair;
let tap: Wiretap;
let owner: NodeProcess;
const api = () => owner.api.url;

beforeAll(async () => {
  world = await startWorld({ hasStreams: true });
  await createStream(world);
  pair = await startPair(world, 100_000n, REPLICATED, { isHere: true });
  await pair.open();
  tap = await tapWire(world);
  owner = pair.nodes.alice;
});
afterAll(async () => {
  await tap?.stop();
  await world?.stop();
});

it('takes the place of a busy node each time, and nobody is told of an error', async () => {
  const { token } = world;
  const callers = startCallers({ count: 16, token, payee: pair.address.bob, api, restMs: 0 });
  try {
    for (let takeovers = 0; takeovers < TAKEOVERS; takeovers++) {
      const standby = await launchStandby(world, takeovers % 2 === 0 ? 'second' : 'alice');
      await whenFollowing(world, standby);
      await callers.makeMore(50);
      const ordered = await replica(world, 'takeover');
      expect(ordered).toMatchObject({ code: 0, stderr: '' });
      expect(ordered.stdout).toMatch(
        new RegExp(`taken over: process ${standby.pid} on \\S+ takes calls after \\d+\\.\\d s`),
      );
      expect(await owner.ended).toMatchObject({ code: 4 });
      expect(owner.output.filter((line) => line.includes('ERROR'))).toEqual([]);
      owner = standby;
      callers.callAgain();
      await callers.makeMore(50);
    }
  } finally {
    await callers.stop();
  }
  const paid = callers.paid();
  await expectWhole({ world, survivor: owner, partner: pair.nodes.bob, paid, tap });
}, 180_000);

it('pays once what is asked again under its key, when it was killed and a standby came', async () => {
  const { token } = world;
  const standby = await launchStandby(world, 'third', BY_ITSELF);
  await whenFollowing(world, standby);
  const callers = startCallers({ count: 16, token, payee: pair.address.bob, api, hasKeys: true });
  try {
    await callers.makeMore(50);
    await owner.kill();
    owner = standby;
    await callers.makeMore(200);
  } finally {
    await callers.stop();
  }
  const paid = callers.paid();
  await expectWhole({ world, survivor: owner, partner: pair.nodes.bob, paid, tap });
}, 180_000);
