/** The parts of every simulated contract, and what it sees of the chain around it. */
import { addSaturating, larger, MAX_UINT256, smaller } from '../../../basics/amount.ts';
import { type Address, fromHex, type Hash, type Hex, ZERO_ADDRESS } from '../../../basics/hex.ts';
import { type Input, readInput, selectorOf, textOutput, type Word, words } from './abi.ts';
import type { Meter } from './meter.ts';
import { demand, refused } from './revert.ts';
import type { Storage, Table } from './storage.ts';

/**
 * Returns who signed a digest; null: these 65 bytes are no signature. v is 27 or 28. The contracts also accept s in
 * the upper half, so an implementation has to as well.
 */
export type Recover = (digest: Uint8Array, signature: Uint8Array) => Address | null;
export type Emitted = { address: Address; topics: readonly Hash[]; data: Hex };
export type World = {
  chainId: bigint;
  /** The block of the running call. Seconds since 1970. */
  block: { number: bigint; timestamp: bigint };
  storage: Storage;
  meter: Meter;
  contracts: Table<Contract | null>;
  /** The logs of the running transaction, in order. */
  emitted: Emitted[];
  recover: Recover;
  /** What a hostile token does when a contract pays somebody. */
  whim: Whim;
  /** A block is being made; false: the call is read-only. */
  isMining: boolean;
};
/** `burns`: uses so much gas; `fails`: reverts when mined, but not in read-only calls. */
type Whim = { kind: 'none' } | { kind: 'fails' } | { kind: 'burns'; gas: number };

export type Call = { sender: Address };
type Method = { signature: string; run: (call: Call, input: Input) => Hex };
/** By signature, e.g. `mint(uint256)`. */
export type Methods = Record<string, Method['run']>;
export type Contract = {
  address: Address;
  /** By selector. */
  methods: ReadonlyMap<Hex, Method>;
  /** Set when it is a token. */
  token?: Erc20;
};
/** The functions of a token that contracts call. Amounts in its smallest unit. */
export type Erc20 = {
  totalSupply(): bigint;
  balanceOf(owner: Address): bigint;
  transfer(call: Call, to: Address, amount: bigint): void;
  transferFrom(call: Call, from: Address, to: Address, amount: bigint): void;
};

export const NOTHING: Hex = '0x';

export function createContract(
  address: Address,
  methods: Methods,
  more: Pick<Contract, 'token'> = {},
): Contract {
  const bySelector = Object.entries(methods).map(([signature, run]): [Hex, Method] => [
    selectorOf(signature),
    { signature, run },
  ]);
  return { address, methods: new Map(bySelector), ...more };
}

export function emit(world: World, address: Address, topics: readonly Word[], data: Hex): void {
  const hashes = topics.map((topic) => words(topic));
  world.meter.log(hashes.length, (data.length - 2) / 2);
  world.emitted.push({ address, topics: hashes, data });
}

/** The token at the address, when a contract calls it. Reverts when there is none. */
export function tokenAt(world: World, address: Address): Erc20 {
  const contract = enter(world, address);
  if (contract.token === undefined) throw refused();
  return contract.token;
}

/** Calls a function of any contract; reverts when the contract does not have it. */
export function ask(world: World, address: Address, signature: string, ...args: Word[]): Input {
  const method = enter(world, address).methods.get(selectorOf(signature));
  if (method === undefined) throw refused();
  const answer = method.run({ sender: ZERO_ADDRESS }, readInput(words(...args), 0));
  return readInput(answer, 0);
}

/** Counts a call between contracts; reverts when there is no code. */
function enter(world: World, address: Address): Contract {
  world.meter.call(address);
  const contract = world.contracts.get(address);
  if (contract === null) throw refused();
  return contract;
}

export function isContract(world: World, address: Address): boolean {
  return world.contracts.get(address) !== null;
}

/** Gas of the precompiled signature recovery. */
const RECOVERY = 3_100;

/** The signer of a digest, as the contracts' ECVerify reads a signature. */
export function signerOf(world: World, digest: Uint8Array, signature: Hex): Address {
  const bytes = fromHex(signature);
  demand(bytes.length === 65, 'ECVerify: sig length invalid');
  const given = bytes[64] ?? 0;
  const v = given < 27 ? given + 27 : given;
  demand(v === 27 || v === 28, 'ECVerify: sig v invalid');
  bytes[64] = v;
  world.meter.charge(RECOVERY);
  const signer = world.recover(digest, bytes);
  demand(signer !== null, 'ECVerify: invalid signature');
  return signer ?? ZERO_ADDRESS;
}

/** Compares addresses as numbers. */
export function isHigher(one: Address, other: Address): boolean {
  return one.toLowerCase() > other.toLowerCase();
}

/** Functions that every contract of the suite has besides its own. */
export function utilityMethods(world: World): Methods {
  return {
    'signature_prefix()': () => textOutput('\x19Ethereum Signed Message:\n'),
    'contractExists(address)': (_, input) => words(isContract(world, input.address())),
    'min(uint256,uint256)': (_, input) => words(smaller(input.uint(), input.uint())),
    'max(uint256,uint256)': (_, input) => words(larger(input.uint(), input.uint())),
    'failsafe_subtract(uint256,uint256)': (_, input) => {
      const [a, b] = [input.uint(), input.uint()];
      return a > b ? words(a - b, b) : words(0n, a);
    },
    'failsafe_addition(uint256,uint256)': (_, input) =>
      words(addSaturating(input.uint(), input.uint())),
  };
}

/** A contract with one privileged address. */
export function createControl(world: World, first: Address) {
  const controller = world.storage.table(ZERO_ADDRESS);
  controller.set('', first);

  function check({ sender }: Call): void {
    demand(sender === controller.get(''), 'Can only be called by controller');
  }
  const methods: Methods = {
    'controller()': () => words(controller.get('')),
    'changeController(address)': (call, input) => {
      const next = input.address();
      check(call);
      controller.set('', next);
      return NOTHING;
    },
  };
  return { check, current: () => controller.get(''), methods };
}

export const UNLIMITED = MAX_UINT256;
