/** A payer that never unlocks before its secret stands on chain: on the real contracts, to the unit. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Address, Secret } from '../../src/basics/hex.ts';
import { mintTokens, registerNewToken } from '../../src/contracts/tokens.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import { anvilCall } from '../support/chain.ts';
import { isRegistered } from '../support/cheating.ts';
import { DEPOSIT, type Line, startLine } from '../support/line.ts';
import { good, type Network, startVirtualNetwork, TOKENS } from '../support/network.ts';
import { tampered } from '../support/tampered.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const WAY = ['alice', 'bob', 'carol'];
const AMOUNT = 3n * TOKENS;
/** Blocks that a lock lives: twice the reveal timeout of 10, less one. */
const LIFETIME = 19n;
const REVEAL_TIMEOUT = 10n;
/** The reveal timeout, and twice the confirmations. */
const GRACE = 12n;
const SETTLE_TIMEOUT = 40n;
const RICH = 10n ** 22n;

let network: Network;
let line: Line;
/** What alice says in vain. */
let isLost: (message: Message) => boolean;
let drawn = 0n;

beforeEach(async () => {
  isLost = () => false;
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  const wireOf = (name: string) => {
    const bare = network.bus.connect(network.addressOf(name));
    if (name !== 'alice') return bare;
    const parts = { network, signer: network.signerAt(network.addressOf(name)) };
    return tampered(bare, parts, (message) => isLost(message)).transport;
  };
  line = await startLine(network, WAY, (name) => ({ transport: wireOf(name) }));
});
afterEach(() => network.stop());

/** Another token, in which the three have channels, too: a withheld unlock blocks nothing there. */
async function openSecondLine(): Promise<Address> {
  const { clients, contracts } = network;
  const token = await network.createToken('TTB');
  await registerNewToken(clients, contracts.tokenNetworkRegistryAddress, token);
  for (const name of WAY) await mintTokens(clients, token, network.addressOf(name), 2n * DEPOSIT);
  await network.mine(2n);
  for (const [from, to] of [
    ['alice', 'bob'],
    ['bob', 'carol'],
  ] as const) {
    await until(() => line.node(from).tokenNetworkOf(token) !== null, `${from} knows the token`);
    const facts = { token, partner: network.addressOf(to), totalDeposit: DEPOSIT };
    const opening = line
      .node(from)
      .openChannel({ ...facts, settleTimeout: null, revealTimeout: null });
    good(await network.whileMining(opening));
    const isKnown = () => line.node(to).channel(token, network.addressOf(from)) !== null;
    await until(isKnown, `${to} knows the channel`);
  }
  return token;
}
const pendingIn = (name: string, token: Address) =>
  good(line.node(name).pendingTransfers({ token, partner: null })).length;

const newSecret = (): Secret => {
  drawn += 1n;
  return `0x${drawn.toString(16).padStart(64, '0')}`;
};
const isUnlock = (message: Message) =>
  message.type === 'Update' && message.changes.some(({ type }) => type === 'unlock');
const setGasMoney = (name: string, wei: bigint) =>
  anvilCall(
    network.chain,
    'anvil_setBalance',
    network.addressOf(name),
    `0x${wei.toString(16)}`,
  ).then(() => line.node(name).checkNotifications());
const stateOf = (name: string, partner: string) =>
  line.node(name).channel(network.token, network.addressOf(partner))?.state ?? 'gone';

type Withheld = { secret: Secret; expiration: bigint };

/** Alice pays and bob has paid on, but alice's Unlock is lost for as long as `isLost` says. */
async function withhold(path: readonly string[]): Promise<Withheld> {
  isLost = isUnlock;
  const secret = newSecret();
  const block = await line.agree();
  good(await line.node('alice').pay(line.payment(path, { secret })));
  return { secret, expiration: block + LIFETIME };
}

/**
 * Mines one block after the other until the condition holds, each once all nodes have handled the one before.
 */
const mineUntil = (condition: () => Promise<boolean>, what: string) =>
  until(async () => {
    await line.mine(1n);
    return condition();
  }, what);

/** Waits until bob's node has closed its channel with alice by itself and has claimed all that it can. */
async function untilClaimed(hasAll: () => Promise<boolean>): Promise<void> {
  await mineUntil(async () => stateOf('bob', 'alice') !== 'opened', 'bob has closed');
  await line.mine(SETTLE_TIMEOUT);
  await mineUntil(hasAll, 'all is paid out');
}

/** Mines up to the block at which bob must not wait any longer, and until his registration has begun. */
async function untilRegistered({ secret, expiration }: Withheld): Promise<void> {
  await line.mine(expiration - REVEAL_TIMEOUT - (await line.agree()));
  const begins = async () =>
    [...(await line.node('bob').stats()).actors.keys()].some((state) =>
      /regist(ering|ered)$|unpaid.regist/.test(state),
    );
  if (!(await begins())) await mineUntil(begins, 'bob waits no longer');
  await until(() => isRegistered(network, secret), 'bob registers the secret');
  await line.mine(1n);
}

describe('a payer that makes its mediator register the secret', () => {
  it('gets nothing more passed on, and the mediator closes the channel and claims the payment by itself', async () => {
    const had = { bob: await network.tokensOf('bob'), alice: await network.tokensOf('alice') };
    const token = await openSecondLine();
    const withheld = await withhold(WAY);
    const { expiration } = withheld;
    await until(() => line.held('carol', 'bob') === AMOUNT, 'carol is paid');
    await untilRegistered(withheld);
    const second = line.node('alice').pay({ ...line.payment(WAY), token });
    const unheard = second.catch(() => null);
    await until(() => pendingIn('bob', token) === 1, 'bob holds the second payment');
    await line.mine(2n);
    expect(pendingIn('bob', token)).toBe(1);
    expect(pendingIn('carol', token)).toBe(0);
    // From here on no call is made: the nodes act by themselves.
    const block = await line.agree();
    if (block < expiration + GRACE - 1n) await line.mine(expiration + GRACE - 1n - block);
    expect(stateOf('bob', 'alice')).toBe('opened');
    const isPaid = async () =>
      (await network.tokensOf('bob')) - had.bob === AMOUNT && stateOf('bob', 'alice') === 'gone';
    await untilClaimed(isPaid);
    const isWhole = async () => (await network.tokensOf('alice')) - had.alice === DEPOSIT - AMOUNT;
    await mineUntil(isWhole, 'alice has what is left');
    await unheard;
    expect(line.held('carol', 'bob')).toBe(AMOUNT);
    expect(line.node('bob').failures).toEqual([]);
  }, 180_000);

  it('is served as before when its Unlock arrives after all, and the channel stays open', async () => {
    const token = await openSecondLine();
    const withheld = await withhold(WAY);
    const { expiration } = withheld;
    await untilRegistered(withheld);
    const second = line.node('alice').pay({ ...line.payment(WAY), token });
    await until(() => pendingIn('bob', token) === 1, 'bob holds the second payment');
    expect(pendingIn('carol', token)).toBe(0);
    isLost = () => false;
    const answered = second.then(good);
    await until(() => line.held('bob', 'alice') === AMOUNT, 'bob is paid');
    // The mediator tries to pass the second payment on again at the next block.
    await line.mine(1n);
    await answered;
    const block = await line.agree();
    await line.mine(expiration + 2n * GRACE - block);
    await line.expectBooks();
    expect(stateOf('bob', 'alice')).toBe('opened');
  }, 180_000);
});

describe('a payer that makes its target register the secret', () => {
  it('loses the channel: the target closes it and has its money without an operator', async () => {
    const had = await network.tokensOf('bob');
    const withheld = await withhold(['alice', 'bob']);
    await untilRegistered(withheld);
    const isPaid = async () =>
      (await network.tokensOf('bob')) - had === AMOUNT && stateOf('bob', 'alice') === 'gone';
    await untilClaimed(isPaid);
    const history = { token: network.token, partner: null, offset: 0, limit: null };
    const isRecorded = async () =>
      [...good(line.node('bob').payments(history))].flat().length === 1;
    await mineUntil(isRecorded, 'the payment is on record');
    expect([...good(line.node('bob').payments(history))].flat()).toMatchObject([
      { amount: AMOUNT },
    ]);
  }, 180_000);

  it('loses no money when it was only offline all the time', async () => {
    const had = { bob: await network.tokensOf('bob'), alice: await network.tokensOf('alice') };
    const withheld = await withhold(['alice', 'bob']);
    await line.stop('alice');
    await untilRegistered(withheld);
    const isPaid = async () => (await network.tokensOf('bob')) - had.bob === AMOUNT;
    await untilClaimed(isPaid);
    await line.start('alice');
    const isWhole = async () => (await network.tokensOf('alice')) - had.alice === DEPOSIT - AMOUNT;
    await mineUntil(isWhole, 'alice has the rest');
  }, 180_000);
});

describe('a mediator without money for gas', () => {
  it('passes nothing on until it has some, but makes its own payments', async () => {
    await setGasMoney('bob', 0n);
    const paying = line.node('alice').pay(line.payment(WAY));
    await until(() => line.pending('bob').length === 1, 'bob holds the payment');
    await line.mine(1n);
    expect(line.pending('carol')).toEqual([]);
    good(await line.node('bob').pay(line.payment(['bob', 'carol'], { amount: TOKENS })));
    await until(() => line.held('carol', 'bob') === TOKENS, 'carol is paid by bob');
    const told = line
      .node('bob')
      .notifications()
      .map(({ id }) => id);
    expect(told).toContain('missing_gas_reserve');
    await setGasMoney('bob', RICH);
    good(await paying);
    await until(() => line.held('carol', 'bob') === AMOUNT + TOKENS, 'carol is paid');
    await line.expectBooks();
  }, 60_000);

  it('is paid by who has the secret anyway, since nothing is promised for that', async () => {
    await setGasMoney('bob', 0n);
    good(await line.node('alice').pay(line.payment(['alice', 'bob'])));
    await line.expectBooks();
  }, 60_000);
});

describe('a target without money for gas', () => {
  it('shows no secret to a mediator that could keep the tokens', async () => {
    await setGasMoney('carol', 0n);
    const secret = newSecret();
    const paying = line.node('alice').pay(line.payment(WAY, { secret }));
    expect(await network.whileMining(paying)).toMatchObject({ ok: false, code: 'lock_expired' });
    expect(await isRegistered(network, secret)).toBe(false);
    await line.expectBooks();
  }, 60_000);
});
