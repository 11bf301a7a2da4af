/** What a mediated payment costs a hub, by the number of its partners. */
import { setTimeout as delay } from 'node:timers/promises';
import { createCaller, load } from './callers.ts';
import { type Hub, type HubNetwork, startHubNetwork } from './hub-network.ts';
import { cpuMsOf } from './process-figures.ts';

const CALLERS = 64;
const WARM_UP = 400;
/** The hubs take turns, so that what others do on the machine meets all of them alike. */
const ROUNDS = 4;
const PAYMENTS = 500;
const IDLE_MS = 5_000;
const PATIENCE_MS = 30_000;

/** Microseconds of CPU time of the hub for each payment; milliseconds of it in each second without any. */
export type HubRow = {
  partners: number;
  waiting: number;
  spent: number;
  idle: number;
  rate: number;
};

function payOver(network: HubNetwork, hub: Hub, total: number) {
  const { token, payer, payee } = network;
  const route = [payer, hub, payee].map(({ key }) => key.signer.address);
  const body = { amount: '1', paths: [{ route, address_metadata: {} }] };
  const path = `/payments/${token}/${payee.key.signer.address}`;
  return load(payer.node.api, path, body, { callers: CALLERS, total });
}

/** A hub that has just started again takes locks when it has caught up with the chain and met its partners. */
async function untilItPays(network: HubNetwork, hub: Hub): Promise<void> {
  const begin = performance.now();
  for (;;) {
    const isPaid = await payOver(network, hub, 1).then(
      () => true,
      () => false,
    );
    if (isPaid) return;
    if (performance.now() - begin > PATIENCE_MS) throw new Error('a hub passes nothing on');
    await delay(200);
  }
}

async function expectPartners(hub: Hub): Promise<void> {
  const caller = createCaller(hub.node.api);
  const { body } = await caller.call('GET', '/channels');
  caller.close();
  const found = body.split('channel_identifier').length - 1;
  if (found !== hub.partners) throw new Error(`a hub has ${found} channels, not ${hub.partners}`);
}

/** One row for each of these numbers of partners, of the same network. */
export async function measureHubs(sizes: readonly number[]): Promise<HubRow[]> {
  const network = await startHubNetwork(sizes, CALLERS);
  try {
    const { hubs } = network;
    for (const hub of hubs) {
      await untilItPays(network, hub);
      await expectPartners(hub);
      await payOver(network, hub, WARM_UP);
    }
    const rows = hubs.map(({ partners, waiting }) => ({ partners, waiting, spent: 0, ms: 0 }));
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, hub] of hubs.entries()) {
        const row = rows[at];
        if (row === undefined) continue;
        const [begin, before] = [performance.now(), cpuMsOf(hub.node.pid)];
        await payOver(network, hub, PAYMENTS);
        row.spent += cpuMsOf(hub.node.pid) - before;
        row.ms += performance.now() - begin;
      }
    const idleBefore = hubs.map(({ node }) => cpuMsOf(node.pid));
    await delay(IDLE_MS);
    const idle = hubs.map(({ node }, at) => cpuMsOf(node.pid) - (idleBefore[at] ?? 0));
    const payments = ROUNDS * PAYMENTS;
    return rows.map(({ partners, waiting, spent, ms }, at) => ({
      partners,
      waiting,
      spent: (1_000 * spent) / payments,
      idle: ((idle[at] ?? 0) * 1_000) / IDLE_MS,
      rate: (1_000 * payments) / ms,
    }));
  } finally {
    await network.end();
  }
}
