/** A token that anybody can mint. Source: CustomToken.sol. */
import type { Address } from '../../../basics/hex.ts';
import { eventTopic, textOutput, words } from './abi.ts';
import {
  type Call,
  type Contract,
  createContract,
  type Erc20,
  emit,
  type Methods,
  NOTHING,
  type World,
} from './contract.ts';
import { add, demand } from './revert.ts';

export type TokenTerms = {
  owner: Address;
  /** Smallest units that the owner gets. */
  initialSupply: bigint;
  decimals: number;
  name: string;
  symbol: string;
  /** Gas that it burns whenever a contract pays it out. */
  burns?: number;
};

const TRANSFER = eventTopic('Transfer(address,address,uint256)');
const APPROVAL = eventTopic('Approval(address,address,uint256)');
const MINTED = eventTopic('Minted(address,uint256)');

export function createCustomToken(world: World, address: Address, terms: TokenTerms): Contract {
  const supply = world.storage.table(0n);
  const balances = world.storage.table(0n);
  const allowed = world.storage.table(0n);
  supply.set('', terms.initialSupply);
  balances.set(terms.owner, terms.initialSupply);

  function move(from: Address, to: Address, amount: bigint): void {
    const balance = balances.get(from);
    demand(balance >= amount, 'balance too low');
    balances.set(from, balance - amount);
    balances.set(to, balances.get(to) + amount);
    emit(world, address, [TRANSFER, from, to], words(amount));
  }
  function mint(amount: bigint, target: Address): void {
    balances.set(target, add(balances.get(target), amount));
    supply.set('', add(supply.get(''), amount));
    emit(world, address, [MINTED, target, amount], NOTHING);
  }
  const token: Erc20 = {
    totalSupply: () => supply.get(''),
    balanceOf: (owner) => balances.get(owner),
    transfer({ sender }, to, amount) {
      if (world.contracts.get(sender) !== null) indulge(world, terms.burns ?? 0);
      move(sender, to, amount);
    },
    transferFrom({ sender }, from, to, amount) {
      const left = allowed.get(`${from}/${sender}`);
      demand(left >= amount, 'allowance too low');
      allowed.set(`${from}/${sender}`, left - amount);
      move(from, to, amount);
    },
  };
  function approve({ sender }: Call, spender: Address, amount: bigint): void {
    allowed.set(`${sender}/${spender}`, amount);
    emit(world, address, [APPROVAL, sender, spender], words(amount));
  }
  const methods: Methods = {
    'mint(uint256)': ({ sender }, input) => {
      mint(input.uint(), sender);
      return NOTHING;
    },
    'mintFor(uint256,address)': (_, input) => {
      mint(input.uint(), input.address());
      return NOTHING;
    },
    'transferFunds()': ({ sender }) => {
      // The contract can never have ether, so there is none to transfer.
      demand(sender === terms.owner, 'not the owner');
      return NOTHING;
    },
    'transfer(address,uint256)': (call, input) => {
      token.transfer(call, input.address(), input.uint());
      return words(true);
    },
    'transferFrom(address,address,uint256)': (call, input) => {
      token.transferFrom(call, input.address(), input.address(), input.uint());
      return words(true);
    },
    'approve(address,uint256)': (call, input) => {
      approve(call, input.address(), input.uint());
      return words(true);
    },
    ...viewMethods(terms),
    'balances(address)': (_, input) => words(balances.get(input.address())),
    'balanceOf(address)': (_, input) => words(balances.get(input.address())),
    'allowance(address,address)': (_, input) =>
      words(allowed.get(`${input.address()}/${input.address()}`)),
    'totalSupply()': () => words(supply.get('')),
  };
  return createContract(address, methods, { token });
}

function indulge({ whim, isMining, meter }: World, burns: number): void {
  meter.charge(burns);
  if (whim.kind === 'burns') meter.charge(whim.gas);
  demand(whim.kind !== 'fails' || !isMining, 'the token does not like it');
}

function viewMethods({ owner, decimals, name, symbol }: TokenTerms): Methods {
  return {
    'name()': () => textOutput(name),
    'symbol()': () => textOutput(symbol),
    'decimals()': () => words(BigInt(decimals)),
    '_decimals()': () => words(BigInt(decimals)),
    'multiplier()': () => words(10n ** BigInt(decimals)),
    'owner_address()': () => words(owner),
  };
}
