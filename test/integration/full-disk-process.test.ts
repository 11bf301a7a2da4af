/** What a node's process does where there is no room for a single write, on a file system of a few megabytes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeProcess, startWorld, TOKENS, type World } from '../support/processes.ts';
import { canMount, needsMount, type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

describe.skipIf(!canMount)(`a process without any room on its disk${needsMount}`, () => {
  let world: World;
  let disk: SmallDisk;
  let alice: NodeProcess;
  let bob: NodeProcess;

  beforeAll(async () => {
    world = await startWorld();
    disk = smallDisk(16_000_000);
    const options = { database: `file:${disk.folder}/node.db`, 'min-free-disk': '0' };
    startBob = () => world.launch('bob', { options });
    alice = await world.start('alice', { isHere: true });
    await world.fund(alice.address, 100n * TOKENS);
    bob = await startBob();
    await bob.ready();
    const opening = alice.api.put('/channels', {
      partner_address: bob.address,
      token_address: world.token,
      total_deposit: String(10n * TOKENS),
    });
    expect((await world.whileMining(opening)).status).toBe(201);
    const isPaid = async () => {
      const json = { amount: String(4n * TOKENS) };
      return (await alice.api.post(`/payments/${world.token}/${bob.address}`, json)).status === 200;
    };
    await until(async () => (await isPaid()) || world.nudge(), 'bob is paid');
  });
  afterAll(async () => {
    await world?.stop();
    disk?.end();
  });

  let startBob: () => Promise<NodeProcess>;
  const readiness = async () => {
    const answer = await bob.api.get('/readyz').catch(() => null);
    return answer === null ? '' : `${answer.status} ${JSON.stringify(answer.body)}`;
  };
  const says = (text: string) => async () => (await readiness()).includes(text);

  it('goes into safe mode when a commit finds no room', async () => {
    disk.fill();
    const isSafe = says('Until all channels (now 1)');
    await until(async () => (await isSafe()) || world.nudge(), 'bob is in safe mode');
    expect(await readiness()).toContain('503');
    expect(bob.output.join()).toContain('The disk of the database is full');
    await bob.kill();
  });

  it('guards its channels from memory after a start, and settles what its partner closes', async () => {
    disk.fill();
    bob = await startBob();
    await until(says('The node is in safe mode. The disk of the database is full'), 'bob says why');
    const closing = alice.api.patch(`/channels/${world.token}/${bob.address}`, { state: 'closed' });
    // Alice holds no proof of bob, so her close says that she has paid nothing.
    expect((await world.whileMining(closing)).status).toBe(200);
    const isPaid = async () => (await world.tokensOf(bob.address)) === 4n * TOKENS;
    await until(async () => (await isPaid()) || world.nudge(), 'bob has his tokens');
    await bob.kill();
  });

  it('learns from the chain what it did while it ran from memory, as soon as it can write again', async () => {
    disk.empty();
    bob = await startBob();
    await world.whileMining(bob.ready());
    const isGone = async () => (await bob.api.channels()).length === 0;
    await until(async () => (await isGone()) || world.nudge(), 'the channel is gone');
    await bob.stop();
  });
});
