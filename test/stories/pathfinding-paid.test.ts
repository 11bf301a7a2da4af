import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { userDepositAbi } from '../../src/chain/abi.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { type Iou, iouDigest, iouQueryDigest } from '../../src/protocol/services/iou.ts';
import type { Signer } from '../../src/signer/signer.ts';
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
import { until } from '../support/until.ts';

const PRICE = 1_000n;
const DEPOSIT = 100n * PRICE;
const WEEK = 40_320n;
/** Blocks that the session of these tests lives longer than the shortest that is taken. */
const SPARE = 60n;

const payer = signerOf(PAYER);
const partner = signerOf(PARTNER);
const payee = signerOf(8).address;

let network: VirtualNetwork;
let service: Service;
const { folder, remove } = serviceFolder();
const places: Transport[] = [];

/** Units of the service token. */
const held = (owner: Address) =>
  network.chain.client.readContract({
    address: network.contracts.userDepositAddress,
    abi: userDepositAbi,
    functionName: 'balances',
    args: [owner],
  });
const newestBlock = () => network.chain.client.getBlockNumber({ cacheTime: 0 });

function iouOf(changes: Partial<Iou>, signer: Signer = payer) {
  const iou = {
    oneToN: network.contracts.oneToNAddress,
    chainId: network.chain.chainId,
    sender: payer.address,
    receiver: payee,
    amount: PRICE,
    claimableUntil: expiration,
    ...changes,
  };
  return {
    sender: iou.sender,
    receiver: iou.receiver,
    amount: iou.amount,
    expiration_block: iou.claimableUntil,
    one_to_n_address: iou.oneToN,
    chain_id: iou.chainId,
    signature: signer.sign(iouDigest(iou)),
  };
}

/** Of the session of these tests. */
let expiration = 0n;

const ask = (iou: Record<string, unknown> | null) => {
  const request = { from: payer.address, to: partner.address, value: 5n, max_paths: 1n };
  return service.paths(network.tokenNetwork, { ...request, iou });
};

function lastIou(signer = payer) {
  const timestamp = new Date().toISOString().replace('Z', '');
  const signature = signer.sign(iouQueryDigest(payer.address, payee, timestamp));
  const query = { sender: payer.address, receiver: payee, timestamp, signature };
  return service.call(`/${network.tokenNetwork}/payment/iou?${new URLSearchParams(query)}`);
}

beforeAll(async () => {
  network = startVirtualNetwork();
  await mintTokens(network.clients, network.contracts.serviceTokenAddress, payee, 10n ** 22n);
  network.simulated.fillUserDeposit(payer.address, DEPOSIT);
  await network.mine(1n);
});
afterAll(async () => {
  await service.stop();
  for (const place of places) await place.close();
  await network.stop();
  remove();
});

describe('a path-finding service with a price', () => {
  it('does not start for an account that could never redeem IOUs, unless it may register', async () => {
    const unregistered = openService(network, folder, { price: PRICE });
    await expect(unregistered).rejects.toThrow(`${payee} is not registered as a service`);
    const choices = { price: PRICE, register: true, acceptedPrice: 10n ** 22n };
    const poor = openService(network, folder, { ...choices, acceptedPrice: 1n });
    await expect(poor).rejects.toThrow('needs --accept-price of at least');
    service = await network.whileMining(openService(network, folder, choices));
    expect((await service.call('/info')).body).toMatchObject({ price_info: PRICE });
    for (const signer of [payer, partner])
      places.push(presentAs(network.bus.connect(signer.address), signer));
    await openBetween(network, network.clientsOf(PAYER), places);
    await network.mine(1n);
    expiration = (await newestBlock()) + WEEK + SPARE;
    await until(async () => (await ask(iouOf({}))).code === null, 'the channel is known');
  });

  it.each<[number, string, () => Record<string, unknown> | null]>([
    [2101, 'none', () => null],
    [2100, 'one without an amount', () => ({ ...iouOf({}), amount: 'much' })],
    [2102, 'one for another service', () => iouOf({ receiver: partner.address })],
    [2005, 'one for another chain', () => iouOf({ chainId: 1n })],
    [2108, 'one for another contract', () => iouOf({ oneToN: payee })],
    [2001, 'one that its sender has not signed', () => iouOf({ amount: 2n * PRICE }, partner)],
    [2104, 'the same one again', () => iouOf({ amount: PRICE })],
    [2104, 'one that is a unit short', () => iouOf({ amount: 2n * PRICE - 1n })],
    [2106, 'one of a second session', () => iouOf({ claimableUntil: expiration + 1n })],
    [2103, 'one that expires within a week', () => ofPartner({ claimableUntil: WEEK })],
    [2107, 'one of a sender without deposit', () => ofPartner({})],
  ])('answers %i when the IOU of a request is %s', async (code, _, iou) => {
    expect((await ask(iou())).code).toBe(code);
  });

  it('tells the last IOU to its sender, and to nobody else', async () => {
    const { status, body } = await lastIou();
    expect({ status, iou: body['last_iou'] }).toMatchObject({ status: 200, iou: iouOf({}) });
    expect((await lastIou(partner)).body.error_code).toBe(2001n);
  });

  it('accepts a higher IOU, and redeems it a week before it expires, also after a restart', async () => {
    const amount = 2n * PRICE;
    expect((await ask(iouOf({ amount }))).paths).toHaveLength(1);
    await service.stop();
    service = await openService(network, folder, { price: PRICE });
    expect((await ask(iouOf({ amount }))).code).toBe(2104);
    expect(await held(payee)).toBe(0n);
    await network.mine(SPARE);
    const isPaid = async () => {
      await network.mine(1n);
      return (await held(payee)) === amount;
    };
    await until(isPaid, 'the service was paid');
    expect(await held(payer.address)).toBe(DEPOSIT - amount);
    // Also before the claim is confirmed.
    expect((await ask(iouOf({ amount: amount + PRICE }))).code).toBe(2105);
    const next = { amount: PRICE, claimableUntil: (await newestBlock()) + 2n * WEEK };
    expect((await ask(iouOf(next))).paths).toHaveLength(1);
    expect(service.faults).toEqual([]);
  });

  it('redeems the IOU at once when its sender plans to withdraw the user deposit', async () => {
    const { contracts, clientsOf } = network;
    const before = await held(payee);
    const all = await held(payer.address);
    await clientsOf(PAYER).wallet.writeContract({
      address: contracts.userDepositAddress,
      abi: userDepositAbi,
      functionName: 'planWithdraw',
      args: [all],
    });
    const isPaid = async () => {
      await network.mine(2n);
      return (await held(payee)) === before + PRICE;
    };
    await until(isPaid, 'the open session was redeemed');
  });
});

/** Of a sender who has nothing deposited. */
function ofPartner(changes: Partial<Iou>) {
  return iouOf({ sender: partner.address, ...changes }, partner);
}
