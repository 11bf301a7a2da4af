/** What a path-finding service with a price needs to keep its promises, and what it does with IOUs when it lacks it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceRegistryAbi, tokenAbi, userDepositAbi } from '../../src/chain/abi.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { iouDigest } from '../../src/protocol/services/iou.ts';
import { anvilCall } from '../support/chain.ts';
import { startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import {
  openBetween,
  openService,
  PARTNER,
  PAYER,
  presentAs,
  type Service,
  serviceFolder,
  signerOf,
} from '../support/pathfinding.ts';
import { createLines, DAY, inMinutes, jump, probesOf } from '../support/service-on-trial.ts';
import { until } from '../support/until.ts';

const PRICE = 1_000n;
const DEPOSIT = 10n ** 22n;
const RPC = 'http://trial.test';
/** The service's number among the rich accounts. */
const SERVICE = 8;
const payer = signerOf(PAYER);
const partner = signerOf(PARTNER);
const payee = signerOf(SERVICE).address;
const broker = { isAway: false };
const { lines, log, of } = createLines();

let network: VirtualNetwork;
let endpoint: ReturnType<VirtualNetwork['addEndpoint']>;
let service: Service;
let probes: ReturnType<typeof probesOf>;
const { folder, remove } = serviceFolder();
let places: Transport[];
/** The last block of the session, and what it owes. */
let lastBlock = 0n;
let owed = 0n;

beforeAll(async () => {
  network = startVirtualNetwork();
  endpoint = network.addEndpoint(RPC);
  await mintTokens(network.clients, network.contracts.serviceTokenAddress, payee, 10n * DEPOSIT);
  network.simulated.fillUserDeposit(payer.address, DEPOSIT);
  await network.mine(1n);
  const choices = { price: PRICE, register: true, acceptedPrice: DEPOSIT };
  const opening = openService(network, folder, choices, { log, rpc: RPC, broker });
  service = await network.whileMining(opening);
  probes = probesOf(service.fetch, 'pathfinding');
  places = [payer, partner].map((signer) => presentAs(network.bus.connect(signer.address), signer));
  await openBetween(network, network.clientsOf(PAYER), places);
  await network.mine(1n);
  await newSession();
  await until(async () => (await ask()) === null, 'the channel is known');
});
afterAll(async () => {
  await service.stop();
  for (const place of places) await place.close();
  await network.stop();
  remove();
});

async function newSession() {
  lastBlock = (await network.chain.client.getBlockNumber({ cacheTime: 0 })) + 100_000n;
  owed = 0n;
}

/** Asks for a route and pays for it; the error's code, or null. */
async function ask(): Promise<number | null> {
  const iou = {
    oneToN: network.contracts.oneToNAddress,
    chainId: network.chain.chainId,
    sender: payer.address,
    receiver: payee,
    amount: owed + PRICE,
    claimableUntil: lastBlock,
  };
  const { code } = await service.paths(network.tokenNetwork, {
    ...{ from: payer.address, to: partner.address, value: 5n, max_paths: 1n },
    iou: {
      ...{ sender: iou.sender, receiver: iou.receiver, amount: iou.amount },
      expiration_block: iou.claimableUntil,
      one_to_n_address: iou.oneToN,
      chain_id: iou.chainId,
      signature: payer.sign(iouDigest(iou)),
    },
  });
  if (code === null) owed += PRICE;
  return code;
}

const held = () =>
  network.chain.client.readContract({
    address: network.contracts.userDepositAddress,
    abi: userDepositAbi,
    functionName: 'balances',
    args: [payee],
  });

/** A deposit by hand, as an operator could make it. */
async function registerByHand() {
  const { serviceTokenAddress: token, serviceRegistryAddress: registry } = network.contracts;
  const { wallet } = network.clientsOf(SERVICE);
  const approve = { functionName: 'approve', args: [registry, DEPOSIT] } as const;
  await wallet.writeContract({ address: token, abi: tokenAbi, ...approve });
  const deposit = { functionName: 'deposit', args: [DEPOSIT] } as const;
  await wallet.writeContract({ address: registry, abi: serviceRegistryAbi, ...deposit });
}

const setBalance = (wei: bigint) =>
  anvilCall(network.chain, 'anvil_setBalance', payee, `0x${wei.toString(16)}`);
const isSaid = async (check: string) => (await probes.figure(check)) === 0;
const isWell = async (check: string) => (await probes.figure(check)) === 1;

describe('a path-finding service with a price', () => {
  it.each<[string, number, string, () => unknown, () => unknown]>([
    [
      'chain',
      503,
      'The chain cannot be read',
      () => Object.assign(endpoint.faults, { isUnreachable: true }),
      () => Object.assign(endpoint.faults, { isUnreachable: false }),
    ],
    [
      'broker',
      503,
      'The message broker cannot be reached',
      () => Object.assign(broker, { isAway: true }),
      () => Object.assign(broker, { isAway: false }),
    ],
    ['gas', 503, 'holds 0 wei', () => setBalance(0n), () => setBalance(10n ** 20n)],
    ['renewal', 200, 'nothing renews it', () => jump(network, 167 * DAY), registerByHand],
  ])(
    'says that it lacks %s, once, until it is there again',
    async (check, status, text, take, give) => {
      await take();
      await inMinutes(network, () => isSaid(check), 'the figure says so');
      const ready = await probes.ready();
      expect(ready.status).toBe(status);
      expect(ready.text).toContain(text);
      await inMinutes(network, () => of(check).length === 1, 'it is in the log');
      expect(of(check)[0]?.text).toContain(text);
      await give();
      await inMinutes(network, () => isWell(check), 'the figure is well again');
      expect((await probes.ready()).status).toBe(200);
      expect(of(check)).toHaveLength(2);
    },
  );

  it('redeems all that it is owed in the last days of its registration', async () => {
    const before = await held();
    expect(await ask()).toBeNull();
    const all = owed;
    await jump(network, (180 + 13 - 1) * DAY);
    await inMinutes(network, async () => (await held()) === before + all, 'it is redeemed');
    await inMinutes(network, () => isSaid('renewal'), 'the end is told');
    await newSession();
    expect(await ask()).toBeNull();
  });

  it('takes no IOU once its registration has ended, and tries to redeem none', async () => {
    await jump(network, 300 * DAY);
    await inMinutes(network, () => isSaid('registration'), 'the figure says so');
    const ready = await probes.ready();
    expect(ready.status).toBe(503);
    expect(ready.text).toContain('nothing is taken on');
    expect(of('registration')).toHaveLength(1);
    const before = lines.length;
    expect(await ask()).toBe(2205);
    await network.mine(50n);
    await inMinutes(network, async () => (await ask()) === 2205, 'it is refused');
    expect(lines.slice(before)).toEqual([]);
  });

  it('takes them again when it is registered', async () => {
    await registerByHand();
    await inMinutes(network, () => isWell('registration'), 'the figure is well again');
    await newSession();
    await inMinutes(network, async () => (await ask()) !== 2205, 'IOUs are judged again');
    expect(service.faults).toEqual([]);
  });
});
