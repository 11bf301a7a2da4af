/**
 * The theft that gas is for: dave pays erin over bob, erin is paid, and dave withholds what would pay bob. Meanwhile bob may
 * spend its money for gas on what strangers have prepared.
 */
import type { Address, Secret } from '../../src/basics/hex.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import { anvilCall } from './chain.ts';
import {
  type GasWorld,
  GWEI,
  type Speaker,
  startGasWorld,
  type Timeouts,
  type Token,
} from './gas-attack.ts';
import { DEPOSIT, startLine } from './line.ts';
import { secretOf } from './makers.ts';
import { good, TOKENS } from './network.ts';
import { tampered } from './tampered.ts';
import { until } from './until.ts';

/** What two channels with sixteen payments each way may take, by the node's own reserve. */
export const MONEY = 10_400_000n * GWEI;
/** What bob begins with, and has to end with. */
export const WHOLE = 2n * DEPOSIT;
const AMOUNT = 90n * TOKENS;
const RICH = 10n ** 22n;
const PATIENCE_MS = 5_000;
/** The number of the payment's secret. */
export const SECRET = 7;
/** What a stranger can lock, or be given. */
const STAKE = 20n * TOKENS;
/** Virtual milliseconds in which bob sends what he wants to, if that is anything. */
const A_MOMENT = 2_000;
/** Blocks for what bob sends last, at a price that has doubled meanwhile. */
const DEAR_BLOCKS = 6n;

export type Theft = Awaited<ReturnType<typeof startTheft>>;
type Scheme = {
  timeouts: Timeouts;
  /** Done before the payment. */
  prepare(theft: Theft): Promise<void>;
  /** Done as soon as erin is paid; bob has not been asked to register anything yet. */
  meanwhile?(theft: Theft): Promise<void>;
};

const isUnlock = (message: Message) =>
  message.type === 'Update' && message.changes.some(({ type }) => type === 'unlock');

/** Dave, bob and erin with their channels; what dave says in vain is decided by `withhold`. */
export async function startTheft(world: GasWorld) {
  const { network } = world;
  const { token } = network;
  let isWithheld = false;
  const signer = network.signerOf('dave');
  const { transport } = tampered(
    network.bus.connect(signer.address),
    { network, signer },
    (message) => isWithheld && isUnlock(message),
  );
  const line = await startLine(network, ['dave', 'bob', 'erin'], (name) =>
    name === 'dave' ? { transport } : {},
  );
  const bob = () => line.node('bob');
  const partners = ['dave', 'erin'].map(network.addressOf);
  return {
    world,
    line,
    /** The node that runs now. */
    bob,
    /** The channel of dave. */
    daves: bob().channel(token, network.addressOf('dave'))?.channelId ?? 0n,
    /** A token of the strangers that takes so much gas whenever a contract pays it out. */
    async createJunk(burns: number, habits: { isHidden?: boolean } = {}): Promise<Token> {
      const junk = await world.createJunk('BURN', burns, habits);
      await network.mine(2n);
      await until(() => bob().tokenNetworkOf(junk.token) !== null, 'bob knows the token');
      return junk;
    },
    withhold: () => {
      isWithheld = true;
    },
    /** Waits until bob knows so many channels of the token. */
    knows: (count: number, of: Address = token) =>
      until(() => bob().channels({ token: of }).length === count, `bob knows ${count} channels`),
    /** Bob has asked what gas costs and what he has, and each node has handled the newest block. */
    async agree(): Promise<void> {
      await bob().checkNotifications();
      await line.agree();
    },
    /** Dave pays erin over bob; it ends when erin is paid. */
    async pay(lockTimeout: bigint | null = null): Promise<void> {
      const parts = { amount: AMOUNT, secret: secretOf(SECRET), lockTimeout };
      const paying = line.node('dave').pay(line.payment(['dave', 'bob', 'erin'], parts));
      paying.catch(() => {});
      await until(() => line.held('erin', 'bob') === AMOUNT, 'erin is paid');
      good(await paying);
    },
    /** What bob has when both channels are closed and settled, with an account that is full again, too late. */
    async tokensInTheEnd(): Promise<bigint> {
      await anvilCall(network.chain, 'evm_setAutomine', true);
      await world.setMoney('bob', RICH);
      const closes = partners.map((partner) => bob().close(token, partner));
      await network.whileMining(Promise.all(closes));
      await network.mine(world.timeouts.settleTimeout + 2n);
      const isGone = () => partners.every((partner) => bob().channel(token, partner) === null);
      await network.whileMining(until(isGone, 'both channels are settled'));
      const isDone = async () => {
        const waits = bob().waitingTransactions();
        const { transactions } = await bob().stats();
        return transactions === 0 && waits.every(({ partner }) => !partners.includes(partner));
      };
      await network.whileMining(until(isDone, 'all that bob wants is on chain', 60_000));
      return network.tokensOf('bob');
    },
  };
}

/** A stranger with a channel with bob in the next block; `given`: what it puts in on bob's side. */
function openSpeaker({ world, bob }: Theft, stake: { deposit: bigint; given?: bigint }): Speaker {
  const terms = { of: world.ordinary, count: 1, settleTimeout: 400n };
  const [stranger] = world.open(bob().ownAddress, { ...terms, ...stake });
  if (stranger === undefined) throw new Error('nobody has opened a channel');
  return world.speaker(stranger, 'bob');
}

/** A stranger that can give bob locks. */
export async function openPayer(theft: Theft): Promise<Speaker> {
  const payer = openSpeaker(theft, { deposit: STAKE });
  await theft.world.network.mine(3n);
  await theft.knows(3);
  await theft.agree();
  return payer;
}

/** A stranger that pays another over bob; that one can show bob the secrets. */
export async function openPayerAndPayee(theft: Theft) {
  const { world } = theft;
  const payer = openSpeaker(theft, { deposit: STAKE });
  const payee = openSpeaker(theft, { deposit: 1n, given: STAKE });
  await world.network.mine(3n);
  await theft.knows(4);
  world.lock(payee, 'bob', { lifetime: 99n, isShown: false });
  await world.heard([payee], 1);
  await theft.agree();
  /** Payments of which bob has told the payee this. */
  const told = (type: 'lock' | 'unlock') => {
    const heard = payee.says.heard().map(({ message }) => message);
    const changes = heard.flatMap((one) => (one.type === 'Update' ? one.changes : []));
    return new Set(changes.flatMap((one) => (one.type === type ? [one.paymentId] : []))).size;
  };
  return {
    payer,
    payee,
    /** Locks of the payer, each of a quarter of a token, which bob has passed on. */
    async lock(lifetime: bigint, count = 1): Promise<void> {
      const many = { amount: TOKENS / 4n, isShown: false, over: payee.says.address };
      world.lock(payer, 'bob', { ...many, lifetime, count });
      await until(() => told('lock') === payer.secrets.length, 'bob has passed the locks on');
    },
    /** Ends when bob has paid so many of them. */
    paid: (count: number) => until(() => told('unlock') === count, 'bob has paid the payee'),
  };
}

/** Shows bob a secret. What he sends to the chain may be nothing, so virtual time passes. */
export async function show({ says }: Speaker, secret: Secret): Promise<void> {
  says.reveal(secret);
  await new Promise((resolve) => setTimeout(resolve, A_MOMENT));
}

/** Bob has promised what dave and erin agreed on; nothing is mined from here on but by the scheme. */
async function begin(theft: Theft, { prepare }: Scheme, isWithheld: boolean): Promise<void> {
  const { world } = theft;
  await world.setMoney('bob', MONEY);
  await prepare(theft);
  await theft.agree();
  await world.stopMining();
  if (isWithheld) theft.withhold();
  await theft.pay();
}

/** Carries the scheme out, up to the end of the lock that dave does not pay; answers what bob has then. */
export async function stealBy(scheme: Scheme): Promise<bigint> {
  const { timeouts, meanwhile } = scheme;
  const world = startGasWorld(timeouts);
  try {
    const theft = await startTheft(world);
    await begin(theft, scheme, true);
    const dueBlock = world.head() + timeouts.revealTimeout - 1n;
    await meanwhile?.(theft);
    const left = dueBlock - world.head();
    await world.mine(left - DEAR_BLOCKS);
    if (left >= DEAR_BLOCKS) await world.makeDearer(DEAR_BLOCKS);
    await world.mine(timeouts.revealTimeout + 2n);
    return await theft.tokensInTheEnd();
  } finally {
    await world.network.stop();
  }
}

/** Dave has paid bob, and closes as if it had not when bob has spent what the scheme lets it; answers what bob has then. */
export async function stealByOldState(scheme: Scheme): Promise<bigint> {
  const { timeouts, meanwhile } = scheme;
  const world = startGasWorld(timeouts);
  try {
    const theft = await startTheft(world);
    await begin(theft, scheme, false);
    const { bob, line } = theft;
    await until(() => line.held('bob', 'dave') === AMOUNT, 'bob is paid', PATIENCE_MS);
    await meanwhile?.(theft);
    await world.mine(timeouts.revealTimeout - DEAR_BLOCKS);
    await world.makeDearer(DEAR_BLOCKS);
    const dave = {
      signer: world.network.signerOf('dave'),
      of: world.ordinary,
      channelId: theft.daves,
    };
    world.close([dave], bob().ownAddress);
    await world.mine(timeouts.settleTimeout + 1n);
    world.settle([dave], bob().ownAddress);
    await world.mine(2n);
    return await theft.tokensInTheEnd();
  } finally {
    await world.network.stop();
  }
}
