/** Tokens that nodes keep to pay services with. Source: UserDeposit.sol. */
import { smaller } from '../../../basics/amount.ts';
import { type Address, ZERO_ADDRESS } from '../../../basics/hex.ts';
import { eventTopic, words } from './abi.ts';
import {
  type Call,
  type Contract,
  createContract,
  emit,
  isContract,
  type Methods,
  NOTHING,
  tokenAt,
  UNLIMITED,
  utilityMethods,
  type World,
} from './contract.ts';
import { demand } from './revert.ts';

export type UserAccount = { total: bigint; balance: bigint; planned: bigint; firstBlock: bigint };
export type UserDeposit = Contract & {
  init(monitoring: Address, oneToN: Address): void;
  balanceOf(owner: Address): bigint;
  /**
   * `total`: all that was ever deposited for the owner; `balance`: what is left of it; `planned`: what the owner has said that
   * it will take out, which it can from `firstBlock` on. In units of the token.
   */
  accountOf(owner: Address): UserAccount;
  /** Returns false, and moves nothing, when the sender has less than the amount or the amount is 0. */
  transfer(call: Call, sender: Address, receiver: Address, amount: bigint): boolean;
};

const REDUCED = eventTopic('BalanceReduced(address,uint256)');
const PLANNED = eventTopic('WithdrawPlanned(address,uint256)');
/** Blocks. */
const WITHDRAW_DELAY = 100n;

/** `limit`: units of the token in all deposits together. */
export function createUserDeposit(
  world: World,
  address: Address,
  { token, limit }: { token: Address; limit: bigint },
): UserDeposit {
  const { storage } = world;
  const totals = storage.table(0n);
  const balances = storage.table(0n);
  const planned = storage.table(0n);
  const planBlocks = storage.table(0n);
  /** By name: the numbers `whole` and `limit`, and the contracts that may transfer. */
  const numbers = storage.table(0n);
  const trusted = storage.table(ZERO_ADDRESS);
  numbers.set('limit', limit);
  trusted.set('token', token);
  const self: Call = { sender: address };
  const tokenContract = () => tokenAt(world, trusted.get('token'));

  function init(monitoring: Address, oneToN: Address): void {
    const isFirst = [trusted.get('monitoring'), trusted.get('oneToN')].every(
      (known) => known === ZERO_ADDRESS,
    );
    demand(isFirst, 'already initialized');
    demand(monitoring !== ZERO_ADDRESS, 'MS contract at address zero');
    demand(isContract(world, monitoring), 'MS contract has no code');
    demand(oneToN !== ZERO_ADDRESS, 'OneToN at address zero');
    demand(isContract(world, oneToN), 'OneToN has no code');
    trusted.set('monitoring', monitoring);
    trusted.set('oneToN', oneToN);
  }

  function deposit({ sender }: Call, beneficiary: Address, total: bigint): void {
    const before = totals.get(beneficiary);
    demand(total > before, 'deposit not increasing');
    const added = total - before;
    const whole = numbers.get('whole');
    demand(added <= UNLIMITED - whole, 'overflowing deposit');
    demand(whole + added <= numbers.get('limit'), 'too much deposit');
    balances.set(beneficiary, balances.get(beneficiary) + added);
    totals.set(beneficiary, total);
    numbers.set('whole', whole + added);
    tokenContract().transferFrom(self, sender, address, added);
  }

  function transfer({ sender: caller }: Call, from: Address, to: Address, amount: bigint): boolean {
    const isTrusted = [trusted.get('monitoring'), trusted.get('oneToN')].includes(caller);
    demand(isTrusted, 'unknown caller');
    demand(from !== to, 'sender == receiver');
    if (amount === 0n || balances.get(from) < amount) return false;
    balances.set(from, balances.get(from) - amount);
    balances.set(to, balances.get(to) + amount);
    emit(world, address, [REDUCED, from], words(balances.get(from)));
    return true;
  }

  function plan({ sender }: Call, amount: bigint): void {
    demand(amount > 0n, 'withdrawing zero');
    const balance = balances.get(sender);
    demand(balance >= amount, 'withdrawing too much');
    planned.set(sender, amount);
    planBlocks.set(sender, world.block.number + WITHDRAW_DELAY);
    emit(world, address, [PLANNED, sender], words(balance - amount));
  }

  function withdraw({ sender }: Call, amount: bigint, beneficiary: Address): void {
    demand(beneficiary !== ZERO_ADDRESS, 'beneficiary is zero');
    demand(amount <= planned.get(sender), 'withdrawing more than planned');
    demand(world.block.number >= planBlocks.get(sender), 'withdrawing too early');
    const balance = balances.get(sender);
    const taken = smaller(amount, balance);
    balances.set(sender, balance - taken);
    numbers.set('whole', numbers.get('whole') - taken);
    planned.set(sender, 0n);
    planBlocks.set(sender, 0n);
    emit(world, address, [REDUCED, sender], words(balance - taken));
    tokenContract().transfer(self, beneficiary, taken);
  }

  function effective(owner: Address): bigint {
    const [balance, leaving] = [balances.get(owner), planned.get(owner)];
    return balance > leaving ? balance - leaving : 0n;
  }

  const methods: Methods = {
    ...utilityMethods(world),
    'init(address,address)': (_, input) => {
      init(input.address(), input.address());
      return NOTHING;
    },
    'deposit(address,uint256)': (call, input) => {
      deposit(call, input.address(), input.uint());
      return NOTHING;
    },
    'transfer(address,address,uint256)': (call, input) =>
      words(transfer(call, input.address(), input.address(), input.uint())),
    'planWithdraw(uint256)': (call, input) => {
      plan(call, input.uint());
      return NOTHING;
    },
    'withdraw(uint256)': (call, input) => {
      withdraw(call, input.uint(), call.sender);
      return NOTHING;
    },
    'withdrawToBeneficiary(uint256,address)': (call, input) => {
      withdraw(call, input.uint(), input.address());
      return NOTHING;
    },
    'withdraw_delay()': () => words(WITHDRAW_DELAY),
    'token()': () => words(trusted.get('token')),
    'msc_address()': () => words(trusted.get('monitoring')),
    'one_to_n_address()': () => words(trusted.get('oneToN')),
    'total_deposit(address)': (_, input) => words(totals.get(input.address())),
    'balances(address)': (_, input) => words(balances.get(input.address())),
    'withdraw_plans(address)': (_, input) => {
      const owner = input.address();
      return words(planned.get(owner), planBlocks.get(owner));
    },
    'effectiveBalance(address)': (_, input) => words(effective(input.address())),
    'whole_balance()': () => words(numbers.get('whole')),
    'whole_balance_limit()': () => words(numbers.get('limit')),
  };
  return {
    ...createContract(address, methods),
    init,
    balanceOf: (owner) => balances.get(owner),
    accountOf: (owner) => ({
      total: totals.get(owner),
      balance: balances.get(owner),
      planned: planned.get(owner),
      firstBlock: planBlocks.get(owner),
    }),
    transfer,
  };
}
