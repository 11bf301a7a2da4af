/** Pays services that bring the balance proofs of offline nodes on chain. Source: MonitoringService.sol. */

import { type Address, fromHex, type Hash, type Hex, ZERO_ADDRESS } from '../../../basics/hex.ts';
import { keccak256, keccakHex } from '../../../protocol/hash.ts';
import { pack } from '../../../protocol/wire/packing.ts';
import { eventTopic, type Input, words } from './abi.ts';
import type { Evidence } from './channel-closing.ts';
import {
  ask,
  type Call,
  type Contract,
  createContract,
  emit,
  type Methods,
  signerOf,
  utilityMethods,
  type World,
} from './contract.ts';
import { add, demand, multiply, refused, subtract } from './revert.ts';
import type { ServiceRegistry } from './service-registry.ts';
import type { TokenNetwork } from './token-network.ts';
import type { TokenNetworkRegistry } from './token-network-registry.ts';
import type { UserDeposit } from './user-deposit.ts';

const RECEIVED = eventTopic(
  'NewBalanceProofReceived(address,uint256,uint256,uint256,address,address)',
);
const CLAIMED = eventTopic('RewardClaimed(address,uint256,bytes32)');
const INFO = 'getChannelInfo(uint256,address,address)';
const REWARD = 6n;
const REWARD_PREFIX = '\x19Ethereum Signed Message:\n221';
/** States of a channel, numbered as in token networks. */
const CLOSED = 2n;
const REMOVED = 4n;

export type MonitoringParts = {
  token: Address;
  services: ServiceRegistry;
  deposits: UserDeposit;
  networks: TokenNetworkRegistry;
};
type Monitoring = Omit<Evidence, 'id'> & {
  reward: bigint;
  network: Address;
  rewardSignature: Hex;
};
type Window = { closedBlock: bigint; settleTimeout: bigint; service: Address; sides: Address[] };

export function createMonitoringService(
  world: World,
  address: Address,
  { token, services, deposits, networks }: MonitoringParts,
): Contract {
  const { storage } = world;
  const amounts = storage.table(0n);
  const nonces = storage.table(0n);
  const payers = storage.table(ZERO_ADDRESS);
  const earners = storage.table(ZERO_ADDRESS);

  function registered(place: Address): TokenNetwork {
    const of = ask(world, place, 'token()').address();
    world.meter.call(networks.address);
    demand(networks.networkOf(of) === place, 'Unknown TokenNetwork');
    const network = networks.network(place);
    if (network === null) throw refused();
    return network;
  }

  function firstBlockOf(network: Address, id: bigint, sides: [Address, Address], by: Address) {
    const info = ask(world, network, INFO, id, ...sides);
    const [settleBlock, state] = [info.uint(), info.uint()];
    demand(state === CLOSED, 'channel not closed');
    const settleTimeout = ask(world, network, 'settlement_timeout_min()').uint();
    const closedBlock = subtract(settleBlock, settleTimeout);
    return firstBlock({ closedBlock, settleTimeout, service: by, sides });
  }

  function monitor({ sender: service }: Call, given: Monitoring): void {
    world.meter.call(services.address);
    demand(services.hasValidRegistration(service), 'service not registered');
    const network = registered(given.network);
    const id = network.identifierOf(given.sender, given.other);
    const first = firstBlockOf(given.network, id, [given.sender, given.other], service);
    demand(world.block.number >= first, 'not allowed to monitor');
    checkReward(given);
    const place = rewardKey(id, given.network);
    demand(given.nonce > nonces.get(place), 'stale nonce');
    amounts.set(place, given.reward);
    nonces.set(place, given.nonce);
    payers.set(place, given.other);
    earners.set(place, service);
    network.update({ ...given, id });
    const data = words(given.network, id, given.reward);
    emit(world, address, [RECEIVED, given.nonce, service, given.other], data);
  }

  function checkReward({ network, other, counterSignature, reward, rewardSignature }: Monitoring) {
    // Not packed by the node's own function: the contract hashes a signature of any length.
    const bytes = Buffer.concat([
      Buffer.from(REWARD_PREFIX, 'latin1'),
      fromHex(address),
      fromHex(words(world.chainId, REWARD)),
      fromHex(network),
      fromHex(other),
      fromHex(counterSignature),
      fromHex(words(reward)),
    ]);
    const signer = signerOf(world, keccak256(bytes), rewardSignature);
    demand(signer === other, 'Invalid reward proof');
  }

  function claim(id: bigint, networkAddress: Address, sides: [Address, Address]): void {
    const network = registered(networkAddress);
    const info = ask(world, network.address, INFO, id, ...sides);
    const [settleBlock, state] = [info.uint(), info.uint()];
    demand(state >= CLOSED && state <= REMOVED, 'channel not closed or settled');
    demand(settleBlock < world.block.number, 'channel not settled yet');
    const place = rewardKey(id, networkAddress);
    const [payer, earner, amount] = [payers.get(place), earners.get(place), amounts.get(place)];
    demand(payer !== ZERO_ADDRESS, 'reward does not exist');
    amounts.set(place, 0n);
    nonces.set(place, 0n);
    payers.set(place, ZERO_ADDRESS);
    earners.set(place, ZERO_ADDRESS);
    world.meter.call(deposits.address);
    const isPaid = deposits.transfer({ sender: address }, payer, earner, amount);
    demand(isPaid, 'reward not transferred');
    emit(world, address, [CLAIMED, earner, place], words(amount));
  }

  const methods: Methods = {
    ...utilityMethods(world),
    'monitor(address,address,bytes32,uint256,bytes32,bytes,bytes,uint256,address,bytes)': (
      call,
      input,
    ) => {
      monitor(call, monitoringIn(input));
      return '0x';
    },
    'claimReward(uint256,address,address,address)': (_, input) => {
      claim(input.uint(), input.address(), [input.address(), input.address()]);
      return words(true);
    },
    'firstBlockAllowedToMonitor(uint256,uint256,address,address,address)': (_, input) => {
      const [closedBlock, settleTimeout] = [input.uint(), input.uint()];
      const sides = [input.address(), input.address()];
      return words(firstBlock({ closedBlock, settleTimeout, sides, service: input.address() }));
    },
    'firstBlockAllowedToMonitorChannel(address,uint256,address,address,address)': (_, input) => {
      const [network, id] = [input.address(), input.uint()];
      const sides: [Address, Address] = [input.address(), input.address()];
      return words(firstBlockOf(network, id, sides, input.address()));
    },
    'token()': () => words(token),
    'service_registry()': () => words(services.address),
    'user_deposit()': () => words(deposits.address),
    'token_network_registry()': () => words(networks.address),
  };
  return createContract(address, methods);
}

/**
 * The first block in which a service may act: 30 % of the settle timeout after the close, and up to 50 % more,
 * which depends on the addresses, so that services take turns.
 */
function firstBlock({ closedBlock, settleTimeout, service, sides }: Window): bigint {
  const window = multiply(settleTimeout, 50n) / 100n;
  const sum = [...sides, service].reduce((total, one) => total + BigInt(one), 0n);
  const offset = window === 0n ? 0n : sum % window;
  return add(add(closedBlock, multiply(settleTimeout, 30n) / 100n), offset);
}

function rewardKey(id: bigint, network: Address): Hash {
  return keccakHex(
    pack([
      ['u256', id],
      ['address', network],
    ]),
  );
}

function monitoringIn(input: Input): Monitoring {
  return {
    sender: input.address(),
    other: input.address(),
    balanceHash: input.hash(),
    nonce: input.uint(),
    additionalHash: input.hash(),
    signature: input.bytes(),
    counterSignature: input.bytes(),
    reward: input.uint(),
    network: input.address(),
    rewardSignature: input.bytes(),
  };
}
