/** kill -9 of the monitoring service between each two of its steps: it helps in time, and is paid once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userBalance } from '../contracts/services.ts';
import { type MonitoringChain, REWARD, startMonitoringChain } from '../support/monitoring-chain.ts';
import { type ServiceProcess, startServiceProcess } from '../support/monitoring-process.ts';
import { until } from '../support/until.ts';

let world: MonitoringChain;
let service: ServiceProcess;

beforeAll(async () => {
  world = await startMonitoringChain();
  service = await startServiceProcess(world);
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await world?.stop();
});

const sent = () => world.chain.clients.public.getTransactionCount({ address: service.address });
const state = () => service.stored('SELECT state FROM closes');

/** Starts the service once for each point, to die at it; each leaves something else behind. */
async function dieAtEach(points: readonly string[]): Promise<void> {
  for (const point of points) {
    service.dieAt(point);
    await service.launch();
    await service.died();
  }
}

describe('a monitoring service that dies after every step', () => {
  it('brings the proof in time, and fetches the reward, each with one transaction', async () => {
    const { id } = await world.channel();
    await service.start();
    service.dieAt('request.stored:1');
    await service.say(world.requestText(id), service.isOver);
    expect(service.stored('SELECT nonce FROM requests')).toBe('7');

    await service.start();
    service.dieAt('batch.stored:1');
    const settleBlock = await service.unseen(() => world.close(id));
    await service.died();
    expect(state()).toBe('watching');

    const before = await sent();
    await world.mineTo(await world.firstBlock(id, service.address));
    await dieAtEach(['transaction.saved:1', 'transaction.sent:1', 'transaction.mined:1']);
    expect(state()).toBe('monitoring');
    expect(await world.nonceOnChain(id)).toBe(7n);
    expect(await world.chain.block()).toBeLessThan(settleBlock);

    await world.mineTo(settleBlock + 3n);
    await dieAtEach(['transaction.sent:1']);
    expect(state()).toBe('claiming');
    await service.start();
    await world.mineTo(settleBlock + 10n);
    await until(() => state() === 'claimed', 'the service knows that it was paid');
    expect(await userBalance(world.chain, service.address)).toBe(REWARD);
    expect(await sent()).toBe(before + 2);
    expect(await world.claims()).toHaveLength(1);
    expect(await world.updates()).toHaveLength(1);
  }, 120_000);
});
