import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stateIn } from '../../src/node/runtime/actors/kinds.ts';
import { type Line, startLine } from '../support/line.ts';
import { good, type Network, startVirtualNetwork } from '../support/network.ts';
import { replayed } from '../support/replayed.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const NAMES = ['alice', 'bob', 'carol'] as const;

let network: Network;
let line: Line;

beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  line = await startLine(network, NAMES);
});
afterAll(() => network.stop());

/** Ids of the stored actors that their journal does not lead to, of a node that is not running. */
async function strayed(name: string): Promise<string[]> {
  const { store, connection } = await network.parts(name);
  const { journal } = store;
  const end = journal.bounds().newest + 1;
  const isStray = (row: ReturnType<typeof store.loadActors>[number]) => {
    const base = journal.baseOf(row.id, end);
    if (base === null) return true;
    const { row: again } = replayed(base, journal.between(row.id, base.seq, end));
    return !isDeepStrictEqual(stateIn(again), stateIn(row));
  };
  const found = store.loadActors().filter(isStray);
  store.close();
  connection.stop();
  return found.map(({ id }) => id);
}

async function pay(path: readonly string[]): Promise<void> {
  good(await line.node('alice').pay(line.payment(path)));
  await line.expectBooks();
}

it('the journal replays to the stored state of each actor, after payments, restarts and a close', async () => {
  await pay(['alice', 'bob']);
  await pay(NAMES);
  await line.stop('bob');
  expect(await strayed('bob')).toEqual([]);
  await line.start('bob');
  await pay(NAMES);
  const closing = line.node('alice').close(network.token, network.addressOf('bob'));
  good(await network.whileMining(closing));
  for (const name of NAMES) await line.stop(name);
  for (const name of NAMES) expect(await strayed(name), name).toEqual([]);
});
