/** Services register here by locking tokens for a while. Source: ServiceRegistry.sol, Deposit.sol. */
import { getContractAddress } from 'viem';
import { larger, smaller } from '../../../basics/amount.ts';
import { type Address, ZERO_ADDRESS } from '../../../basics/hex.ts';
import { eventTopic, type Input, textOutput, words } from './abi.ts';
import {
  type Call,
  type Contract,
  createContract,
  createControl,
  emit,
  type Methods,
  NOTHING,
  tokenAt,
  UNLIMITED,
  utilityMethods,
  type World,
} from './contract.ts';
import { add, demand, refused } from './revert.ts';

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
type Parameter = keyof Omit<RegistrationTerms, 'initialPrice'>;

const REGISTERED = eventTopic('RegisteredService(address,uint256,uint256,address)');
const MAX_PRICE = 2n ** 90n;
const MAX_PARAMETER = 2n ** 40n;
/** Gas of creating the contract that has the tokens: its code and its three slots. */
const GAS_OF_DEPOSIT = 396_000;

export function createServiceRegistry(
  world: World,
  address: Address,
  { token, controller, terms }: { token: Address; controller: Address; terms: RegistrationTerms },
): ServiceRegistry {
  const { storage } = world;
  const control = createControl(world, controller);
  const parameters = storage.table(0n);
  const prices = storage.table(0n);
  const validTill = storage.table(0n);
  const urls = storage.table('');
  /** Storage slots of a URL that is too long for one slot. */
  const urlParts = storage.table('');
  const services = storage.table(ZERO_ADDRESS);
  const count = storage.table(0n);
  const isDeprecated = storage.table(false);
  const now = () => world.block.timestamp;
  const parameter = (name: Parameter) => parameters.get(name);
  prices.set('price', terms.initialPrice);
  prices.set('at', now());
  setParameters(terms);

  function setParameters(next: Omit<RegistrationTerms, 'initialPrice'>): void {
    const { priceBumpNumerator, priceBumpDenominator, decayConstant } = next;
    demand(priceBumpDenominator > 0n, 'divide by zero');
    demand(priceBumpNumerator >= priceBumpDenominator, 'price dump instead of bump');
    demand(priceBumpNumerator < MAX_PARAMETER, 'price bump numerator is too big');
    demand(decayConstant > 0n, 'zero decay constant');
    demand(decayConstant < MAX_PARAMETER, 'too big decay constant');
    parameters.set('priceBumpNumerator', priceBumpNumerator);
    parameters.set('priceBumpDenominator', priceBumpDenominator);
    parameters.set('decayConstant', decayConstant);
    parameters.set('minPrice', next.minPrice);
    parameters.set('registrationDuration', next.registrationDuration);
  }

  const decayTerms = () => {
    return { decayConstant: parameter('decayConstant'), minPrice: parameter('minPrice') };
  };
  const currentPrice = () => decayed(prices.get('price'), now() - prices.get('at'), decayTerms());

  function register({ sender }: Call, limit: bigint): void {
    demand(!isDeprecated.get(''), 'this contract was deprecated');
    const price = currentPrice();
    demand(limit >= price, 'not enough limit');
    const before = validTill.get(sender);
    if (before === 0n) {
      services.set(count.get('').toString(), sender);
      count.set('', count.get('') + 1n);
    }
    const from = larger(before, now());
    const duration = parameter('registrationDuration');
    demand(duration <= UNLIMITED - from, 'registration time overflow');
    const till = from + duration;
    validTill.set(sender, till);
    const bumped = (price * parameter('priceBumpNumerator')) / parameter('priceBumpDenominator');
    prices.set('price', smaller(bumped, MAX_PRICE));
    prices.set('at', now());
    const depot = createDepot(till, sender);
    tokenAt(world, token).transferFrom({ sender: address }, sender, depot, price);
    emit(world, address, [REGISTERED, sender], words(till, price, depot));
  }

  const depots = storage.freeTable(0n);
  function createDepot(releaseAt: bigint, withdrawer: Address): Address {
    const nonce = depots.get('') + 1n;
    depots.set('', nonce);
    const place = getContractAddress({ from: address, nonce });
    const isFree = () => now() >= releaseAt || isDeprecated.get('');
    const depot = createDeposit(world, place, { token, releaseAt, withdrawer, isFree });
    world.meter.charge(GAS_OF_DEPOSIT);
    world.contracts.set(place, depot);
    return place;
  }

  function setUrl({ sender }: Call, url: string): void {
    demand(now() < validTill.get(sender), 'registration expired');
    demand(url !== '', 'new url is empty string');
    const parts = Math.max(partsOf(url), partsOf(urls.get(sender)));
    for (let part = 0; part < parts; part++) {
      const isUsed = part < partsOf(url);
      urlParts.set(`${sender}/${part}`, isUsed ? `${part} ${url}` : '');
    }
    urls.set(sender, url);
  }

  function changeParameters(call: Call, input: Input): void {
    const next = {
      priceBumpNumerator: input.uint(),
      priceBumpDenominator: input.uint(),
      decayConstant: input.uint(),
      minPrice: input.uint(),
      registrationDuration: input.uint(),
    };
    control.check(call);
    prices.set('price', currentPrice());
    prices.set('at', now());
    setParameters(next);
  }

  function serviceAt(index: bigint): Address {
    if (index >= count.get('')) throw refused();
    return services.get(index.toString());
  }
  const hasValidRegistration = (service: Address) => now() < validTill.get(service);

  const methods: Methods = {
    ...utilityMethods(world),
    ...control.methods,
    'deposit(uint256)': (call, input) => {
      register(call, input.uint());
      return words(true);
    },
    'setURL(string)': (call, input) => {
      setUrl(call, input.text());
      return words(true);
    },
    'setDeprecationSwitch()': (call) => {
      control.check(call);
      isDeprecated.set('', true);
      return words(true);
    },
    'changeParameters(uint256,uint256,uint256,uint256,uint256)': (call, input) => {
      changeParameters(call, input);
      return words(true);
    },
    'token()': () => words(token),
    'deprecated()': () => words(isDeprecated.get('')),
    'set_price()': () => words(prices.get('price')),
    'set_price_at()': () => words(prices.get('at')),
    'decay_constant()': () => words(parameter('decayConstant')),
    'min_price()': () => words(parameter('minPrice')),
    'price_bump_numerator()': () => words(parameter('priceBumpNumerator')),
    'price_bump_denominator()': () => words(parameter('priceBumpDenominator')),
    'registration_duration()': () => words(parameter('registrationDuration')),
    'currentPrice()': () => words(currentPrice()),
    'decayedPrice(uint256,uint256)': (_, input) => {
      const [price, seconds] = [input.uint(), input.uint()];
      return words(add(decayed(price, seconds, decayTerms()), 0n));
    },
    'service_valid_till(address)': (_, input) => words(validTill.get(input.address())),
    'hasValidRegistration(address)': (_, input) => words(hasValidRegistration(input.address())),
    'urls(address)': (_, input) => textOutput(urls.get(input.address())),
    'everMadeDepositsLen()': () => words(count.get('')),
    'ever_made_deposits(uint256)': (_, input) => words(serviceAt(input.uint())),
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

/** Slots that a text takes besides the one with its length. */
function partsOf(text: string): number {
  const bytes = Buffer.byteLength(text);
  return bytes < 32 ? 0 : Math.ceil(bytes / 32);
}

/** A contract that keeps the price of one registration until it ends. */
function createDeposit(
  world: World,
  address: Address,
  given: { token: Address; releaseAt: bigint; withdrawer: Address; isFree: () => boolean },
): Contract {
  const { token, releaseAt, withdrawer, isFree } = given;
  const methods: Methods = {
    'withdraw(address)': ({ sender }, input) => {
      const to = input.address();
      const held = tokenAt(world, token);
      const balance = held.balanceOf(address);
      demand(sender === withdrawer, 'the caller is not the withdrawer');
      demand(isFree(), 'deposit not released yet');
      demand(balance > 0n, 'nothing to withdraw');
      held.transfer({ sender: address }, to, balance);
      return NOTHING;
    },
    'token()': () => words(token),
    'withdrawer()': () => words(withdrawer),
    'release_at()': () => words(releaseAt),
  };
  return createContract(address, methods);
}
