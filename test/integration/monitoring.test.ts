import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { firstBlockAllowed } from '../../src/services/monitoring/window.ts';
import { done } from '../contracts/chain.ts';
import * as channel from '../contracts/channel.ts';
import { depositForUser, userBalance } from '../contracts/services.ts';
import { NO_TRANSFERS, proofOf } from '../contracts/sign.ts';
import {
  type MonitoringChain,
  PRICE,
  REWARD,
  SHORTEST,
  signerOf,
  startMonitoringChain,
} from '../support/monitoring-chain.ts';
import { until } from '../support/until.ts';

let world: MonitoringChain;
beforeEach(async () => {
  world = await startMonitoringChain();
});
afterEach(() => world.stop());

type Service = Awaited<ReturnType<MonitoringChain['service']>>;

/** A channel for which the service keeps a request of nonce 7: the closer has sent 10. */
async function asked(service: Service): Promise<bigint> {
  const { id } = await world.channel();
  await until(
    async () => service.status().confirmedBlock >= (await world.chain.block()) - 1n,
    'seen',
  );
  world.request(id);
  await until(() => service.status().requests === 1, 'the request is kept');
  return id;
}

/** The other side of the settlement is entitled to what the closer's proof on chain says. */
const settle = (id: bigint, transferred: bigint) =>
  channel.settle(
    world.chain,
    id,
    { ...NO_TRANSFERS, address: world.owner.address },
    { ...NO_TRANSFERS, transferred, address: world.closer.address },
  );
const isMonitored = (id: bigint) =>
  until(async () => (await world.nonceOnChain(id)) === 7n, 'the proof is on chain');
const ownTokens = () => channel.balanceOf(world.chain, world.owner.address);

describe('the monitoring service', () => {
  it('brings the latest proof for a node that is off, and is paid once', async () => {
    const service = await world.service(3);
    const id = await asked(service);
    const settleBlock = await world.close(id);
    await world.mineTo(await world.firstBlock(id, service.address));
    await isMonitored(id);
    expect(await world.chain.block()).toBeLessThan(settleBlock);

    await world.mineTo(settleBlock);
    done(await settle(id, 10n));
    expect(await ownTokens()).toBe(10n);
    await world.mineTo(settleBlock + 2n);
    await until(
      async () => (await userBalance(world.chain, service.address)) === REWARD,
      'the reward',
    );
    await world.mineTo(settleBlock + 10n);
    expect(await userBalance(world.chain, world.owner.address)).toBe(100n - REWARD);
    expect(await world.claims()).toHaveLength(1);
    expect(await world.updates()).toHaveLength(1);
  });

  it('keeps an honest request that comes behind a flood of forged ones', async () => {
    const service = await world.service(3);
    const { id } = await world.channel();
    const isSeen = async () => service.status().confirmedBlock >= (await world.chain.block()) - 1n;
    await until(isSeen, 'the channel is seen');
    world.flood(id + 500n, 21_000, { signers: { reward: signerOf(9) } });
    world.request(id);
    await until(() => service.status().requests === 1, 'the honest request is kept');
  });

  it('answers health checks and metrics over HTTP, and nothing else', async () => {
    const service = await world.service(3);
    await asked(service);
    const get = (path: string) => fetch(`${service.url}${path}`);
    await until(async () => (await get('/readyz')).status === 200, 'it is ready');
    expect((await get('/livez')).status).toBe(200);
    const metrics = await (await get('/metrics')).text();
    expect(metrics).toMatch(/^pcn_monitoring_requests 1$/m);
    expect(metrics).toMatch(/^process_cpu_seconds_total /m);
    expect((await get('/anything')).status).toBe(404);
    expect((await fetch(`${service.url}/livez`, { method: 'POST' })).status).toBe(404);
    const page = { headers: { origin: 'https://evil.example' } };
    expect((await fetch(`${service.url}/metrics`, page)).status).toBe(403);
  });

  it('does nothing when the owner updates its channel itself', async () => {
    const service = await world.service(3);
    const id = await asked(service);
    const settleBlock = await world.close(id);
    const sent = await sentBy(service);
    const place = { network: world.chain.network, chainId: world.chain.chainId, id };
    const proof = proofOf({ ...NO_TRANSFERS, transferred: 10n }, 7n);
    const evidence = await channel.updateEvidence(place, world.closer, world.owner, proof);
    done(await channel.update(world.chain, id, world.closer, world.owner, evidence));
    await world.mineTo(settleBlock);
    done(await settle(id, 10n));
    await world.mineTo(settleBlock + 5n);
    await until(() => service.status().closes === 0, 'the service has seen the settlement');
    expect(await sentBy(service)).toBe(sent);
    expect(await world.updates()).toEqual([]);
    expect(await userBalance(world.chain, world.owner.address)).toBe(100n);
  });

  it('asks after a restart for the requests that it may have missed', async () => {
    const service = await world.service(3);
    await until(() => world.hellos() === 1, 'the first hello');
    await service.stop();
    await world.service(3);
    await until(() => world.hellos() === 2, 'the second hello');
  });

  it('acts for its owner when the channel was closed while the service was off', async () => {
    const first = await world.service(3);
    const id = await asked(first);
    await first.stop();
    await world.close(id);
    await world.mineTo((await world.firstBlock(id, first.address)) + 2n);
    await world.service(3);
    await isMonitored(id);
  });

  it('leaves a channel alone that another service looked after', async () => {
    const one = await world.service(3);
    const two = await world.service(4);
    const id = await asked(one);
    await until(() => two.status().requests === 1, 'both have the request');
    const settleBlock = await world.close(id);
    const [first, last] =
      (await world.firstBlock(id, one.address)) < (await world.firstBlock(id, two.address))
        ? [one, two]
        : [two, one];
    const sent = await sentBy(last);
    await world.mineTo(await world.firstBlock(id, first.address));
    await isMonitored(id);
    await world.mineTo(settleBlock + 3n);
    await until(
      async () => (await userBalance(world.chain, first.address)) === REWARD,
      'the reward',
    );
    done(await settle(id, 10n));
    await world.mineTo((await world.chain.block()) + 3n);
    await until(() => last.status().closes === 0, 'the other one has seen the settlement');
    expect(await sentBy(last)).toBe(sent);
    expect(await world.updates()).toHaveLength(1);
  });

  it('is paid although the owner brought a later proof itself in the end', async () => {
    const service = await world.service(3);
    const id = await asked(service);
    const settleBlock = await world.close(id);
    await world.mineTo(await world.firstBlock(id, service.address));
    await isMonitored(id);
    const place = { network: world.chain.network, chainId: world.chain.chainId, id };
    const proof = proofOf({ ...NO_TRANSFERS, transferred: 12n }, 8n);
    const evidence = await channel.updateEvidence(place, world.closer, world.owner, proof);
    done(await channel.update(world.chain, id, world.closer, world.owner, evidence));
    await world.mineTo(settleBlock + 3n);
    const paid = async () => (await userBalance(world.chain, service.address)) === REWARD;
    await until(paid, 'the reward');
  });

  it('claims nothing when another service brought a later proof', async () => {
    const closed = { settleBlock: 0n, closing: world.closer.address };
    const turnOf = (index: number) => {
      const sides = { ...closed, nonClosing: world.owner.address };
      return firstBlockAllowed(sides, SHORTEST, signerOf(index).address);
    };
    const [first, last] = turnOf(3) < turnOf(4) ? [3, 4] : [4, 3];
    const late = await world.service(last);
    const early = await world.service(first);
    const id = await asked(early);
    await early.stop();
    world.request(id, { nonce: 8n });
    await world.service(first);
    const settleBlock = await world.close(id);
    await world.mineTo(await world.firstBlock(id, early.address));
    await isMonitored(id);
    await world.mineTo(await world.firstBlock(id, late.address));
    await until(async () => (await world.nonceOnChain(id)) === 8n, 'the later proof is on chain');
    await world.mineTo(settleBlock + 3n);
    await until(async () => (await userBalance(world.chain, late.address)) === REWARD, 'reward');
    await world.mineTo((await world.chain.block()) + 3n);
    await world.hears('another service has the reward');
    expect(await world.claims()).toHaveLength(1);
  });

  it('waits for the user deposit of the owner, which may be filled again in time', async () => {
    const service = await world.service(3);
    const id = await asked(service);
    const settleBlock = await world.close(id);
    await ofUserDeposit('planWithdraw', 100n);
    await world.mineTo(await world.firstBlock(id, service.address));
    await world.hears('does not cover the reward');
    expect(await world.updates()).toEqual([]);
    await depositForUser(world.chain, world.owner.address, 300n);
    await isMonitored(id);
    expect(await world.chain.block()).toBeLessThan(settleBlock);
  });

  it('leaves a reward that the deposit does not hold, and fetches it later', async () => {
    const first = await world.service(3);
    const id = await asked(first);
    await world.close(id);
    await world.mineTo(await world.firstBlock(id, first.address));
    await isMonitored(id);
    await first.stop();
    await ofUserDeposit('planWithdraw', 100n);
    await world.mineTo((await world.chain.block()) + 100n);
    await ofUserDeposit('withdraw', 100n);
    const { address } = await world.service(3);
    await world.mineTo((await world.chain.block()) + 2n);
    await world.hears('does not hold the reward');
    await depositForUser(world.chain, world.owner.address, 300n);
    await world.mineTo((await world.chain.block()) + 100n);
    await until(async () => (await userBalance(world.chain, address)) === REWARD, 'the reward');
  });

  it('keeps a request for a channel that it does not know yet', async () => {
    const service = await world.service(3);
    world.request(1n);
    await until(() => service.status().requests === 1, 'the request waits');
    const { id } = await world.channel();
    expect(id).toBe(1n);
    await world.close(id);
    await world.mineTo(await world.firstBlock(id, service.address));
    await isMonitored(id);
  });
});

describe('the registration of a service', () => {
  it('is refused, with the price, unless it is asked for and the price accepted', async () => {
    const refusedBecause = async (changed: Parameters<MonitoringChain['open']>[1]) => {
      const opened = await world.open(3, changed);
      if (!opened.ok) return opened.message;
      await opened.value.stop();
      return 'not refused';
    };
    expect(await refusedBecause({ register: false })).toContain('start with --register');
    expect(await refusedBecause({ acceptedPrice: null })).toContain('--accept-price of at least');
    const always = { register: false, registerUntilStopped: true, acceptedPrice: null };
    expect(await refusedBecause(always)).toContain('--register-until-stopped needs --accept-price');
    expect(await refusedBecause({ acceptedPrice: 1n })).toContain('--accept-price of at least');
    expect(await refusedBecause({})).toContain('holds 0 of the token');
    expect(await refusedBecause({ confirmations: 48n })).toContain('seen too late');
  });

  it('is paid once, and not again after a restart', async () => {
    const first = await world.service(3);
    await world.mineTo((await world.chain.block()) + 3n);
    await until(() => first.status().open === 0, 'the registration is confirmed');
    const sent = await sentBy(first);
    await first.stop();
    const second = await world.open(3, { register: false, acceptedPrice: null });
    if (!second.ok) throw new Error(second.message);
    await second.value.stop();
    expect(await sentBy(first)).toBe(sent);
    expect(await world.isRegistered(first.address)).toBe(true);
    expect(PRICE).toBeGreaterThan(0n);
  });
});

function sentBy({ address }: Service): Promise<number> {
  return world.chain.clients.public.getTransactionCount({ address });
}

async function ofUserDeposit(functionName: 'planWithdraw' | 'withdraw', amount: bigint) {
  done(
    await world.chain.send({
      to: world.chain.deployment.userDepositAddress,
      abi: userDepositAbi,
      from: world.owner.address,
      functionName,
      args: [amount],
    }),
  );
}
