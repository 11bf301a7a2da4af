import { encodeDeployData, numberToHex, parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { depositAbi } from '../../src/contracts/generated/Deposit.ts';
import {
  serviceRegistryAbi,
  serviceRegistryBytecode,
} from '../../src/contracts/generated/ServiceRegistry.ts';
import { type Chain, done, person, startChain } from './chain.ts';
import { fundService, register } from './services.ts';

const PRICE = 1_000n;
const DURATION = 10_000n;
const HIGHEST = 2n ** 90n;
const TWO_TO_40 = 2n ** 40n;

const service = person(3).address;
const stranger = person(4).address;

let chain: Chain;
let snapshot: unknown;

beforeAll(async () => {
  chain = await startChain({
    deploy: {
      service: {
        initialPrice: PRICE,
        minPrice: 100n,
        priceBumpNumerator: 5n,
        priceBumpDenominator: 4n,
        decayConstant: 1_000_000n,
        registrationDuration: DURATION,
      },
    },
  });
  await fundService(chain, service, chain.deployment.serviceRegistryAddress, 1_000_000n);
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

const refused = (reason: string) => ({ ok: false, reason });
const registry = (from: Address) =>
  ({ to: chain.deployment.serviceRegistryAddress, abi: serviceRegistryAbi, from }) as const;

const read = (functionName: 'currentPrice' | 'set_price' | 'everMadeDepositsLen') =>
  chain.clients.public.readContract({
    address: chain.deployment.serviceRegistryAddress,
    abi: serviceRegistryAbi,
    functionName,
  });
const validTill = (of: Address) =>
  chain.clients.public.readContract({
    address: chain.deployment.serviceRegistryAddress,
    abi: serviceRegistryAbi,
    functionName: 'service_valid_till',
    args: [of],
  });
const isValid = (of: Address) =>
  chain.clients.public.readContract({
    address: chain.deployment.serviceRegistryAddress,
    abi: serviceRegistryAbi,
    functionName: 'hasValidRegistration',
    args: [of],
  });

const now = async () => (await chain.clients.public.getBlock()).timestamp;
/** The next block has this time, in unix seconds. */
const nextAt = (time: bigint) => chain.rpc('evm_setNextBlockTimestamp', [numberToHex(time)]);

/** Registers and returns the event's fields. */
async function registered() {
  const { logs } = done(await register(chain, service, 10n ** 9n));
  const [event] = parseEventLogs({ abi: serviceRegistryAbi, eventName: 'RegisteredService', logs });
  if (event === undefined) throw new Error('no RegisteredService');
  return event.args;
}

const tokensOf = (owner: Address) =>
  chain.clients.public.readContract({
    address: chain.deployment.serviceTokenAddress,
    abi: customTokenAbi,
    functionName: 'balanceOf',
    args: [owner],
  });

describe('the service registry', () => {
  it('locks the price in a deposit contract of its own and raises the next price by a quarter', async () => {
    expect(await isValid(service)).toBe(false);
    const event = await registered();
    expect(event.service).toBe(service);
    expect(event.valid_till).toBe((await now()) + DURATION);
    expect(await tokensOf(event.deposit_contract)).toBe(event.deposit_amount);
    expect(await read('set_price')).toBe((event.deposit_amount * 5n) / 4n);
    expect(await isValid(service)).toBe(true);
    expect(await read('everMadeDepositsLen')).toBe(1n);
  });

  it('registers for exactly the price and not for less', async () => {
    const time = (await now()) + 1n;
    await nextAt(time);
    await chain.rpc('evm_mine');
    const price = await read('currentPrice');
    await nextAt(time + 1n);
    expect(await register(chain, service, price - 2n)).toEqual(refused('not enough limit'));
    expect(await register(chain, service, price)).toMatchObject({ ok: true });
  });

  it('adds a second registration to the time that is left of the first, and counts the service once', async () => {
    await registered();
    const first = await validTill(service);
    await registered();
    expect(await validTill(service)).toBe(first + DURATION);
    expect(await read('everMadeDepositsLen')).toBe(1n);
  });

  it('ends a registration at exactly the second that it announced', async () => {
    const { valid_till } = await registered();
    const setUrl = { functionName: 'setURL', args: ['https://pfs.example'] } as const;
    await nextAt(valid_till - 1n);
    done(await chain.send({ ...registry(service), ...setUrl }));
    expect(await isValid(service)).toBe(true);
    await nextAt(valid_till);
    expect(await chain.send({ ...registry(service), ...setUrl })).toEqual(
      refused('registration expired'),
    );
    expect(await isValid(service)).toBe(false);
    const url = await chain.clients.public.readContract({
      address: chain.deployment.serviceRegistryAddress,
      abi: serviceRegistryAbi,
      functionName: 'urls',
      args: [service],
    });
    expect(url).toBe('https://pfs.example');
  });

  it('refuses an empty URL of a service', async () => {
    await registered();
    const empty = await chain.send({ ...registry(service), functionName: 'setURL', args: [''] });
    expect(empty).toEqual(refused('new url is empty string'));
  });

  it('stops registering when its controller deprecates it', async () => {
    const functionName = 'setDeprecationSwitch';
    expect(await chain.send({ ...registry(stranger), functionName })).toEqual(
      refused('Can only be called by controller'),
    );
    done(await chain.send({ ...registry(person(0).address), functionName }));
    expect(await register(chain, service, 10n ** 9n)).toEqual(
      refused('this contract was deprecated'),
    );
  });

  it('takes new parameters from its controller', async () => {
    const change = (from: Address, terms: readonly [bigint, bigint, bigint, bigint, bigint]) =>
      chain.send({ ...registry(from), functionName: 'changeParameters', args: terms });
    expect(await change(stranger, [5n, 4n, 1n, 1n, 1n])).toEqual(
      refused('Can only be called by controller'),
    );
    const me = person(0).address;
    expect(await change(me, [5n, 0n, 1n, 1n, 1n])).toEqual(refused('divide by zero'));
    expect(await change(me, [3n, 4n, 1n, 1n, 1n])).toEqual(refused('price dump instead of bump'));
    expect(await change(me, [TWO_TO_40, 4n, 1n, 1n, 1n])).toEqual(
      refused('price bump numerator is too big'),
    );
    expect(await change(me, [5n, 4n, 0n, 1n, 1n])).toEqual(refused('zero decay constant'));
    expect(await change(me, [5n, 4n, TWO_TO_40, 1n, 1n])).toEqual(
      refused('too big decay constant'),
    );
    done(await change(me, [TWO_TO_40 - 1n, TWO_TO_40 - 1n, TWO_TO_40 - 1n, 7n, 1n]));
    expect(await read('set_price')).toBeLessThanOrEqual(PRICE);
  });

  it.each<[string, bigint, bigint, boolean]>([
    ['the highest price', HIGHEST, 1n, true],
    ['a price above it', HIGHEST + 1n, 1n, false],
    ['the lowest price', 50n, 50n, true],
    ['a price below it', 49n, 50n, false],
  ])('is deployed or not with %s', async (_text, initial, lowest, accepted) => {
    const { serviceTokenAddress } = chain.deployment;
    const data = encodeDeployData({
      abi: serviceRegistryAbi,
      bytecode: serviceRegistryBytecode,
      args: [serviceTokenAddress, service, initial, 5n, 4n, 1_000n, lowest, 1n],
    });
    const deployed = chain.clients.public.call({ data }).then(
      () => true,
      () => false,
    );
    expect(await deployed).toBe(accepted);
  });
});

describe('the deposit of a registration', () => {
  const withdraw = (deposit: Address, from: Address, to: Address) =>
    chain.send({ to: deposit, abi: depositAbi, from, functionName: 'withdraw', args: [to] });

  it('can be withdrawn when the registration ends, and only by the service', async () => {
    const { deposit_contract: deposit, valid_till, deposit_amount } = await registered();
    expect(await withdraw(deposit, stranger, stranger)).toEqual(
      refused('the caller is not the withdrawer'),
    );
    await nextAt(valid_till - 1n);
    expect(await withdraw(deposit, service, stranger)).toEqual(refused('deposit not released yet'));
    await nextAt(valid_till);
    done(await withdraw(deposit, service, stranger));
    expect(await tokensOf(stranger)).toBe(deposit_amount);
    expect(await withdraw(deposit, service, stranger)).toEqual(refused('nothing to withdraw'));
  });

  it('can be withdrawn at once when the registry is deprecated', async () => {
    const { deposit_contract: deposit, deposit_amount } = await registered();
    const call = { ...registry(person(0).address), functionName: 'setDeprecationSwitch' } as const;
    done(await chain.send(call));
    done(await withdraw(deposit, service, stranger));
    expect(await tokensOf(stranger)).toBe(deposit_amount);
  });
});
