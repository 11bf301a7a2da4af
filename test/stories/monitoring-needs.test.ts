/** What a monitoring service needs to keep its promises: what it says when one of these is missing, and what it does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAbi, tokenNetworkAbi } from '../../src/chain/abi.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { encodeServiceMessage } from '../../src/protocol/services/service-messages.ts';
import { anvilCall } from '../support/chain.ts';
import { closeWith } from '../support/cheating.ts';
import { monitoringRequest } from '../support/monitoring-makers.ts';
import { startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import {
  openBetween,
  PARTNER,
  PAYER,
  presentAs,
  serviceFolder,
  signerOf,
} from '../support/pathfinding.ts';
import {
  DAY,
  fundForService,
  inMinutes,
  jump,
  type OnTrial,
  openOnTrial,
  PRICE,
  pass,
  REWARD,
  registrations,
} from '../support/service-on-trial.ts';

const ONCE = { register: true, registerUntilStopped: false, acceptedPrice: PRICE };
const ALWAYS = { register: false, registerUntilStopped: true, acceptedPrice: PRICE };
/** erin's number among the rich accounts. */
const ERIN = 5;

let network: VirtualNetwork;
beforeAll(() => {
  network = startVirtualNetwork();
});
afterAll(() => network.stop());

/** A deposit by hand, as an operator could make it. */
async function registerByHand() {
  const { serviceTokenAddress: token, serviceRegistryAddress: registry } = network.contracts;
  const { wallet } = network.clientsOf(ERIN);
  const approve = { functionName: 'approve', args: [registry, PRICE] } as const;
  await wallet.writeContract({ address: token, abi: tokenAbi, ...approve });
  const deposit = { functionName: 'deposit', args: [PRICE] } as const;
  await wallet.writeContract({ address: registry, abi: serviceRegistryAbi, ...deposit });
}

describe('a monitoring service', () => {
  let service: OnTrial;
  beforeAll(async () => {
    await fundForService(network, 'erin', 10n * PRICE);
    service = await openOnTrial(network, { name: 'erin', choices: ONCE });
    await network.whileMining(service.isRegistered());
  });
  afterAll(() => service.stop());

  const balance = (wei: bigint) =>
    anvilCall(network.chain, 'anvil_setBalance', service.address, `0x${wei.toString(16)}`);

  it.each<[string, number, string, () => unknown, () => unknown]>([
    [
      'chain',
      503,
      'The chain cannot be read',
      () => Object.assign(service.endpoint.faults, { isUnreachable: true }),
      () => Object.assign(service.endpoint.faults, { isUnreachable: false }),
    ],
    [
      'broker',
      503,
      'The message broker cannot be reached',
      () => Object.assign(service.broker, { isAway: true }),
      () => Object.assign(service.broker, { isAway: false }),
    ],
    ['gas', 503, 'holds 0 wei', () => balance(0n), () => balance(10n ** 20n)],
    ['renewal', 200, 'nothing renews it', () => jump(network, 167 * DAY), registerByHand],
    ['registration', 503, 'nothing is taken on', () => jump(network, 400 * DAY), registerByHand],
  ])(
    'says that it lacks %s, once, until it is there again',
    async (check, status, text, take, give) => {
      expect(await service.figure(check)).toBe(1);
      await take();
      const isSaid = async () => (await service.figure(check)) === 0;
      await inMinutes(network, isSaid, 'the figure says so');
      const ready = await service.ready();
      expect(ready.status).toBe(status);
      expect(ready.text).toContain(text);
      await network.mine(5n);
      await inMinutes(network, () => service.of(check).length === 1, 'it is in the log');
      expect(service.of(check)[0]?.text).toContain(text);
      expect(service.of(check)[0]?.level).toBe(status === 200 ? 'warn' : 'error');
      await give();
      const isWell = async () => (await service.figure(check)) === 1;
      await inMinutes(network, isWell, 'the figure is well again');
      expect((await service.ready()).status).toBe(200);
      expect(service.of(check).map(({ level }) => level)).toHaveLength(2);
      expect(service.faults).toEqual([]);
    },
  );
});

describe('a monitoring service that is not registered any more', () => {
  const [closer, owner] = [signerOf(PAYER), signerOf(PARTNER)];
  let service: OnTrial;
  afterAll(() => service.stop());

  const requestOf = (channelId: bigint) =>
    monitoringRequest({
      owner,
      partner: closer,
      chainId: network.chain.chainId,
      channelId,
      tokenNetwork: network.tokenNetwork,
      monitoringService: network.contracts.monitoringServiceAddress,
      reward: REWARD,
    });
  /** Of the closer's balance proof on chain. */
  async function nonceOnChain(channelId: bigint): Promise<bigint> {
    const info = await network.chain.client.readContract({
      address: network.tokenNetwork,
      abi: tokenNetworkAbi,
      functionName: 'getChannelParticipantInfo',
      args: [channelId, closer.address, owner.address],
    });
    return info[4];
  }

  it('takes no request, is silent at a close, and does its work when it is registered again', async () => {
    network.simulated.fillUserDeposit(owner.address, 100n * REWARD);
    service = await openOnTrial(network, { name: 'erin', choices: ONCE });
    await network.whileMining(service.isRegistered());
    const places = [closer, owner].map((signer) =>
      presentAs(network.bus.connect(signer.address), signer),
    );
    const [, ownerOnBus] = places;
    let hellos = 0;
    ownerOnBus?.onBroadcast('hello', () => {
      hellos += 1;
    });
    const ask = (channelId: bigint) => {
      const text = encodeServiceMessage(requestOf(channelId));
      ownerOnBus?.broadcast('monitoring', Buffer.from(text));
    };
    await openBetween(network, network.clientsOf(PAYER), places);
    const { status } = service.service;
    await inMinutes(network, () => status().channels === 1, 'the channel is known');
    ask(1n);
    await inMinutes(network, () => status().requests === 1, 'the request is kept');

    await jump(network, 400 * DAY);
    await inMinutes(network, () => !status().isRegistered, 'the registration has ended');
    ask(2n);
    await closeWith(network, { closer, partner: owner.address, channelId: 1n }, null);
    const lines = service.lines.length;
    for (let blocks = 0; blocks < 20; blocks++) {
      await network.mine(1n);
      await pass(500);
    }
    expect(status().requests).toBe(1);
    expect(service.of('registration')).toHaveLength(1);
    const others = service.lines.slice(lines).filter(({ fields }) => !('check' in fields));
    expect(others.filter(({ level }) => level !== 'info')).toEqual([]);

    const before = hellos;
    await registerByHand();
    const isBrought = async () => (await nonceOnChain(1n)) === 7n;
    await inMinutes(network, isBrought, 'the proof is on chain');
    expect(hellos).toBe(before + 1);
    for (const place of places) await place.close();
    expect(service.faults).toEqual([]);
  });
});

describe('a registration that is renewed', () => {
  const { folder, remove } = serviceFolder();
  afterAll(() => remove());
  const till = async () => (await registrations(network)).at(-1) ?? 0n;
  const chainTime = async () => (await network.chain.client.getBlock()).timestamp;
  const jumpTo = async (left: number) =>
    jump(network, Number((await till()) - (await chainTime())) - left);

  /** So many looks at the registration. */
  async function minutes(count: number): Promise<void> {
    let left = count;
    await inMinutes(network, () => left-- === 0, 'time passes');
  }

  it('is prolonged in time and paid once, through an end of the process and a replaced block', async () => {
    await fundForService(network, 'frank');
    const others = await registrations(network);
    await anvilCall(network.chain, 'evm_setAutomine', false);
    let service = await openOnTrial(network, { name: 'frank', choices: ALWAYS, folder });
    // It is looked at while the first registration is under way.
    await pass(100_000);
    await anvilCall(network.chain, 'evm_setAutomine', true);
    await network.whileMining(service.isRegistered());
    const before = await registrations(network);
    expect(before).toHaveLength(others.length + 1);
    await jumpTo(11 * DAY);
    await minutes(3);
    expect(await registrations(network)).toHaveLength(before.length);

    // The process ends when its transactions are sent but not mined.
    await anvilCall(network.chain, 'evm_setAutomine', false);
    await jumpTo(9 * DAY);
    const isSent = () => network.simulated.pool.waiting().length > 0;
    while (!isSent()) await pass(5_000);
    await service.stop();
    await anvilCall(network.chain, 'evm_setAutomine', true);
    service = await openOnTrial(network, { name: 'frank', choices: ALWAYS, folder });
    const isRenewed = async () => (await registrations(network)).length > before.length;
    while (!(await isRenewed())) await pass(1_000);
    await anvilCall(network.chain, 'anvil_reorg', 1);
    await inMinutes(network, () => service.service.status().open === 0, 'it is confirmed');
    await minutes(3);
    const after = await registrations(network);
    expect(after).toHaveLength(before.length + 1);
    expect(after.at(-1)).toBe((before.at(-1) ?? 0n) + 180n * BigInt(DAY));
    expect(await service.figure('renewal')).toBe(1);
    expect(service.faults).toEqual([]);
    await service.stop();
  });

  it('is not paid above the accepted price, and says so in time', async () => {
    await fundForService(network, 'grace');
    const first = await openOnTrial(network, { name: 'grace', choices: ONCE });
    await network.whileMining(first.isRegistered());
    await first.stop();
    const before = await registrations(network);
    const cheap = { ...ALWAYS, acceptedPrice: 1n };
    const service = await openOnTrial(network, { name: 'grace', choices: cheap });
    await jumpTo(9 * DAY);
    const isSaid = async () => (await service.figure('renewal')) === 0;
    await inMinutes(network, isSaid, 'it is said');
    const ready = await service.ready();
    expect(ready.status).toBe(200);
    expect(ready.text).toContain('more than --accept-price 1');
    expect(await registrations(network)).toHaveLength(before.length);
    await jump(network, 10 * DAY);
    const isOver = async () => (await service.ready()).status === 503;
    await inMinutes(network, isOver, 'it is over');
    await service.stop();
  });
});
