/** Creates one token network per token and remembers it. Source: TokenNetworkRegistry.sol. */
import { getContractAddress } from 'viem';
import { type Address, ZERO_ADDRESS } from '../../../basics/hex.ts';
import { eventTopic, words } from './abi.ts';
import {
  type Contract,
  createContract,
  createControl,
  emit,
  type Methods,
  NOTHING,
  UNLIMITED,
  utilityMethods,
  type World,
} from './contract.ts';
import { demand } from './revert.ts';
import type { SecretRegistry } from './secret-registry.ts';
import { createTokenNetwork, type TokenNetwork } from './token-network.ts';

export type RegistryTerms = {
  secretRegistry: SecretRegistry;
  settleTimeoutMin: bigint;
  settleTimeoutMax: bigint;
  maxTokenNetworks: bigint;
  controller: Address;
};
export type TokenNetworkRegistry = Contract & {
  /** The network at this address, if this registry created it. */
  network(address: Address): TokenNetwork | null;
  networkOf(token: Address): Address;
};

const CREATED = eventTopic('TokenNetworkCreated(address,address)');
/** Gas of creating a network: 200 gas for each byte of its code, and its constructor. */
const GAS_OF_NETWORK = 3_330_000;

export function createTokenNetworkRegistry(
  world: World,
  address: Address,
  terms: RegistryTerms,
): TokenNetworkRegistry {
  const { storage } = world;
  const control = createControl(world, terms.controller);
  const networkOf = storage.table(ZERO_ADDRESS);
  const created = storage.table(0n);
  const most = storage.table(0n);
  const networks = storage.freeTable<TokenNetwork | null>(null);
  most.set('', terms.maxTokenNetworks);

  function create(token: Address, participantLimit: bigint, networkLimit: bigint): Address {
    const number = created.get('') + 1n;
    demand(number <= most.get(''), 'TNR: registry full');
    if (most.get('') === UNLIMITED) {
      const isUnlimited = participantLimit === UNLIMITED && networkLimit === UNLIMITED;
      demand(isUnlimited, 'TNR: limits must be set to MAX_INT');
    }
    demand(networkOf.get(token) === ZERO_ADDRESS, 'TNR: token already registered');
    created.set('', number);
    const place = getContractAddress({ from: address, nonce: number });
    const limits = { participantLimit, networkLimit };
    const { secretRegistry, settleTimeoutMin, settleTimeoutMax } = terms;
    const network = createTokenNetwork(world, place, {
      token,
      secretRegistry,
      settleTimeoutMin,
      settleTimeoutMax,
      ...limits,
      controller: control.current(),
    });
    world.meter.charge(GAS_OF_NETWORK);
    world.contracts.set(place, network);
    networks.set(place, network);
    networkOf.set(token, place);
    emit(world, address, [CREATED, token, place], NOTHING);
    return place;
  }

  const methods: Methods = {
    ...utilityMethods(world),
    ...control.methods,
    'createERC20TokenNetwork(address,uint256,uint256)': (_, input) =>
      words(create(input.address(), input.uint(), input.uint())),
    'createERC20TokenNetworkWithoutLimits(address)': (_, input) =>
      words(create(input.address(), UNLIMITED, UNLIMITED)),
    'removeLimits()': (call) => {
      control.check(call);
      most.set('', UNLIMITED);
      return NOTHING;
    },
    'secret_registry_address()': () => words(terms.secretRegistry.address),
    'settlement_timeout_min()': () => words(terms.settleTimeoutMin),
    'settlement_timeout_max()': () => words(terms.settleTimeoutMax),
    'max_token_networks()': () => words(most.get('')),
    'token_network_created()': () => words(created.get('')),
    'token_to_token_networks(address)': (_, input) => words(networkOf.get(input.address())),
  };
  return {
    ...createContract(address, methods),
    network: (place) => networks.get(place),
    networkOf: (token) => networkOf.get(token),
  };
}
