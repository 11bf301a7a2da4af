/** Services register here by locking tokens for a while. Source: ServiceRegistry.sol, Deposit.sol. */
import { getContractAddress } from 'viem';
import { larger, smaller } from '../../../basics/amount.ts';
import { type Address, ZERO_ADDRESS } from '../../../basics/hex.ts';
import { eventTopic, words } from './abi.ts';
import {
  type Call,
  type Contract,
  createContract,
  emit,
  type Methods,
  tokenAt,
  type World,
} from './contract.ts';
import { demand } from './revert.ts';

/** Prices in units of the token, times in seconds. */
export type RegistrationTerms = {
  initialPrice: bigint;
  minPrice: bigint;
  priceBumpNumerator: bigint;
  priceBumpDenominator: bigint;
  decayConstant: bigint;
  registrationDuration: bigint;
};
export type ServiceRegistry = Contract & {
  hasValidRegistration(service: Address): boolean;
};

const PARAMETERS = [
  'minPrice',
  'priceBumpNumerator',
  'priceBumpDenominator',
  'decayConstant',
  'registrationDuration',
] as const satisfies (keyof RegistrationTerms)[];
const REGISTERED = eventTopic('RegisteredService(address,uint256,uint256,address)');
const MAX_PRICE = 2n ** 90n;
const MAX_PARAMETER = 2n ** 40n;
/** Gas of creating the contract that has the tokens, with its code and its three slots, and of a slot that is not modelled. */
const GAS_OF_DEPOSIT = 398_100;

export function createServiceRegistry(
  world: World,
  address: Address,
  { token, terms }: { token: Address; terms: RegistrationTerms },
): ServiceRegistry {
  const { storage } = world;
  const parameters = storage.table(0n);
  const prices = storage.table(0n);
  const validTill = storage.table(0n);
  const services = storage.table(ZERO_ADDRESS);
  const count = storage.table(0n);
  const now = () => world.block.timestamp;
  const parameter = (name: (typeof PARAMETERS)[number]) => parameters.get(name);
  prices.set('price', terms.initialPrice);
  prices.set('at', now());
  for (const name of PARAMETERS) parameters.set(name, terms[name]);

  const decayTerms = () => {
    return { decayConstant: parameter('decayConstant'), minPrice: parameter('minPrice') };
  };
  const currentPrice = () => decayed(prices.get('price'), now() - prices.get('at'), decayTerms());

  function register({ sender }: Call, limit: bigint): void {
    const price = currentPrice();
    demand(limit >= price, 'not enough limit');
    const before = validTill.get(sender);
    if (before === 0n) {
      services.set(count.get('').toString(), sender);
      count.set('', count.get('') + 1n);
    }
    const from = larger(before, now());
    const till = from + parameter('registrationDuration');
    validTill.set(sender, till);
    const bumped = (price * parameter('priceBumpNumerator')) / parameter('priceBumpDenominator');
    prices.set('price', smaller(bumped, MAX_PRICE));
    prices.set('at', now());
    const depot = createDepot();
    tokenAt(world, token).transferFrom({ sender: address }, sender, depot, price);
    emit(world, address, [REGISTERED, sender], words(till, price, depot));
  }

  const depots = storage.freeTable(0n);
  /** The address of a contract that keeps the price until the registration ends; here nobody takes it back. */
  function createDepot(): Address {
    const nonce = depots.get('') + 1n;
    depots.set('', nonce);
    world.meter.charge(GAS_OF_DEPOSIT);
    return getContractAddress({ from: address, nonce });
  }
  const hasValidRegistration = (service: Address) => now() < validTill.get(service);

  const methods: Methods = {
    'deposit(uint256)': (call, input) => {
      register(call, input.uint());
      return words(true);
    },
    'token()': () => words(token),
    'registration_duration()': () => words(parameter('registrationDuration')),
    'currentPrice()': () => words(currentPrice()),
    'service_valid_till(address)': (_, input) => words(validTill.get(input.address())),
    'hasValidRegistration(address)': (_, input) => words(hasValidRegistration(input.address())),
  };
  return { ...createContract(address, methods), hasValidRegistration };
}

/** What is left of a price after so many seconds: about the exponential function, and never below the least. */
function decayed(
  price: bigint,
  seconds: bigint,
  { decayConstant: a, minPrice }: Pick<RegistrationTerms, 'decayConstant' | 'minPrice'>,
): bigint {
  if (seconds >= MAX_PARAMETER) return minPrice;
  const x = seconds;
  const p = 24n * a ** 4n;
  const q = p + 24n * a ** 3n * x + 12n * a ** 2n * x ** 2n + 4n * a * x ** 3n + x ** 4n;
  return larger((price * p) / q, minPrice);
}
