/**
 * The theft that gas is for: dave pays erin over bob, erin is paid, and dave withholds what would pay bob. Meanwhile bob may
 * spend its money for gas on what strangers have prepared.
 */
import type { Address } from '../../src/basics/hex.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import { anvilCall } from './chain.ts';
import { type GasWorld, GWEI, startGasWorld, type Timeouts, type Token } from './gas-attack.ts';
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

/** Bob has promised what dave and erin agreed on; nothing is mined from here on but by the scheme. */
async function begin(theft: Theft, { prepare }: Scheme, isWithheld: boolean): Promise<void> {
  const { world, bob, line } = theft;
  await world.setMoney('bob', MONEY);
  await prepare(theft);
  await bob().checkNotifications();
  await line.agree();
  await world.stopMining();
  if (isWithheld) theft.withhold();
  const paid = { amount: AMOUNT, secret: secretOf(SECRET) };
  const paying = line.node('dave').pay(line.payment(['dave', 'bob', 'erin'], paid));
  paying.catch(() => {});
  await until(() => line.held('erin', 'bob') === AMOUNT, 'erin is paid', PATIENCE_MS);
  good(await paying);
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
