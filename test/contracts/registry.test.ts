import { encodeDeployData, type Hex, maxUint256, parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Address, ZERO_ADDRESS } from '../../src/basics/hex.ts';
import {
  tokenNetworkAbi,
  tokenNetworkBytecode,
} from '../../src/contracts/generated/TokenNetwork.ts';
import {
  tokenNetworkRegistryAbi,
  tokenNetworkRegistryBytecode,
} from '../../src/contracts/generated/TokenNetworkRegistry.ts';
import { deployToken } from '../../src/contracts/tokens.ts';
import { type Chain, done, person, startChain } from './chain.ts';

const LONGEST = 2n ** 63n - 1n;

let chain: Chain;
let fresh: Address;
let snapshot: unknown;

/** One of two token networks is created; `fresh` has none yet. */
beforeAll(async () => {
  chain = await startChain({ deploy: { maxTokenNetworks: 2n } });
  fresh = await deployToken(chain.clients, { name: 'Fresh', symbol: 'FRE' });
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

const refused = (reason: string) => ({ ok: false, reason });

const registry = () =>
  ({ to: chain.deployment.tokenNetworkRegistryAddress, abi: tokenNetworkRegistryAbi }) as const;

function create(token = fresh, participantLimit = 10n, networkLimit = 20n) {
  const args = [token, participantLimit, networkLimit] as const;
  const from = person(5).address;
  return chain.send({ ...registry(), from, functionName: 'createERC20TokenNetwork', args });
}

const removeLimits = (from = person(0).address) =>
  chain.send({ ...registry(), from, functionName: 'removeLimits' });

/** The reason why a deployment fails, or null. */
async function deployFails(data: Hex): Promise<string | null> {
  try {
    await chain.clients.public.call({ data });
    return null;
  } catch (error) {
    return /reverted with reason: (.*)\./i.exec(String(error))?.[1] ?? String(error);
  }
}

describe('the registry of token networks', () => {
  it('creates a network with its own terms and controller, for anybody', async () => {
    const { logs } = done(await create());
    const [event] = parseEventLogs({ abi: tokenNetworkRegistryAbi, logs });
    if (event?.eventName !== 'TokenNetworkCreated') throw new Error('no TokenNetworkCreated');
    expect(event.args.token_address).toBe(fresh);
    const address = event.args.token_network_address;
    const read = (functionName: 'controller' | 'token' | 'secret_registry') =>
      chain.clients.public.readContract({ address, abi: tokenNetworkAbi, functionName });
    expect(await read('controller')).toBe(person(0).address);
    expect(await read('token')).toBe(fresh);
    expect(await read('secret_registry')).toBe(chain.deployment.secretRegistryAddress);
    const number = (
      functionName:
        | 'settlement_timeout_min'
        | 'settlement_timeout_max'
        | 'channel_participant_deposit_limit'
        | 'token_network_deposit_limit',
    ) => chain.clients.public.readContract({ address, abi: tokenNetworkAbi, functionName });
    expect(await number('settlement_timeout_min')).toBe(10n);
    expect(await number('settlement_timeout_max')).toBe(100_000n);
    expect(await number('channel_participant_deposit_limit')).toBe(10n);
    expect(await number('token_network_deposit_limit')).toBe(20n);
    const registered = await chain.clients.public.readContract({
      address: chain.deployment.tokenNetworkRegistryAddress,
      abi: tokenNetworkRegistryAbi,
      functionName: 'token_to_token_networks',
      args: [fresh],
    });
    expect(registered).toBe(address);
  });

  it('refuses a token twice', async () => {
    expect(await create(chain.token)).toEqual(refused('TNR: token already registered'));
  });

  it('refuses more networks than it was made for', async () => {
    done(await create());
    const third = await deployToken(chain.clients, { name: 'Third', symbol: 'THI' });
    expect(await create(third)).toEqual(refused('TNR: registry full'));
  });

  it('refuses deposit limits once its limit on networks is removed', async () => {
    expect(await removeLimits(person(1).address)).toEqual(
      refused('Can only be called by controller'),
    );
    done(await removeLimits());
    const reason = 'TNR: limits must be set to MAX_INT';
    expect(await create(fresh, 10n, 20n)).toEqual(refused(reason));
    expect(await create(fresh, 10n, maxUint256)).toEqual(refused(reason));
    expect(await create(fresh, maxUint256 - 1n, maxUint256)).toEqual(refused(reason));
    const functionName = 'createERC20TokenNetworkWithoutLimits';
    done(await chain.send({ ...registry(), functionName, args: [fresh] }));
  });

  it('refuses what is no token, and limits that make no sense', async () => {
    expect(await create(ZERO_ADDRESS)).toEqual(refused('TN: invalid token address'));
    expect(await create(person(9).address)).toEqual(refused('TN: invalid token contract'));
    expect(await create(fresh, 0n, 20n)).toEqual(refused('TN: invalid participant limit'));
    expect(await create(fresh, 10n, 0n)).toEqual(refused('TN: invalid network deposit limit'));
    expect(await create(fresh, 21n, 20n)).toEqual(refused('TN: invalid deposit limits'));
    expect(await create(fresh, 20n, 20n)).toMatchObject({ ok: true });
  });

  it('refuses a token without supply', async () => {
    const options = { name: 'Empty', symbol: 'EMP', initialSupply: 0n };
    const empty = await deployToken(chain.clients, options);
    expect(await create(empty)).toEqual(refused('TN: no supply for token'));
  });

  it.each<[string, bigint, bigint, bigint, string | null]>([
    ['no shortest timeout', 0n, 10n, 1n, 'TNR: invalid settle timeout min'],
    ['equal timeouts', 10n, 10n, 1n, 'TNR: invalid settle timeouts'],
    ['no longest timeout', 10n, 0n, 1n, 'TNR: invalid settle timeouts'],
    ['a timeout beyond 63 bits', 10n, LONGEST + 1n, 1n, 'TNR: invalid settle timeout max'],
    ['the longest timeout of all', 10n, LONGEST, 1n, null],
    ['room for no network', 10n, 20n, 0n, 'TNR: invalid TN limit'],
  ])('is not deployed with %s', async (_text, min, max, networks, reason) => {
    const data = encodeDeployData({
      abi: tokenNetworkRegistryAbi,
      bytecode: tokenNetworkRegistryBytecode,
      args: [chain.deployment.secretRegistryAddress, min, max, networks],
    });
    expect(await deployFails(data)).toBe(reason);
  });

  it.each<[Address, string]>([
    [ZERO_ADDRESS, 'TNR: invalid SR address'],
    [person(9).address, 'TNR: invalid SR'],
  ])('is not deployed with a secret registry at %s', async (address, reason) => {
    const data = encodeDeployData({
      abi: tokenNetworkRegistryAbi,
      bytecode: tokenNetworkRegistryBytecode,
      args: [address, 10n, 20n, 1n],
    });
    expect(await deployFails(data)).toBe(reason);
  });
});

describe('a token network by itself', () => {
  type Terms = [secrets: Address, min: bigint, max: bigint, controller: Address];
  const me = person(0).address;

  it.each<[string, (secrets: Address) => Terms, string | null]>([
    ['good terms', (s) => [s, 1n, 2n, me], null],
    ['no secret registry', () => [ZERO_ADDRESS, 1n, 2n, me], 'TN: invalid SR address'],
    ['an account as secret registry', () => [me, 1n, 2n, me], 'TN: invalid SR contract'],
    ['no controller', (s) => [s, 1n, 2n, ZERO_ADDRESS], 'TN: invalid controller address'],
    ['no shortest timeout', (s) => [s, 0n, 2n, me], 'TN: invalid settle timeout min'],
    ['equal timeouts', (s) => [s, 2n, 2n, me], 'TN: invalid settle timeouts'],
    ['too long a timeout', (s) => [s, 2n, LONGEST + 1n, me], 'TN: invalid settle timeout max'],
  ])('is deployed, or refused with a reason, with %s', async (_text, terms, reason) => {
    const [secrets, min, max, controller] = terms(chain.deployment.secretRegistryAddress);
    const data = encodeDeployData({
      abi: tokenNetworkAbi,
      bytecode: tokenNetworkBytecode,
      args: [fresh, secrets, min, max, controller, 1n, 1n],
    });
    expect(await deployFails(data)).toBe(reason);
  });
});
