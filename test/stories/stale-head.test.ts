import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/basics/environment.ts';
import { ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import type { Transport } from '../../src/partner/transport.ts';
import type { SentMessage } from '../../src/protocol/messages/table.ts';
import type { Endpoint } from '../../src/simulation/chain/endpoint.ts';
import { anvilCall } from '../support/chain.ts';
import { DEPOSIT, type Line, startLine } from '../support/line.ts';
import { good, startVirtualNetwork, TOKENS, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const NAMES = ['alice', 'bob', 'carol'] as const;
const AMOUNT = 90n * TOKENS;
/** Where bob and carol ask. */
const RPC = 'http://frozen.test';
const BLOCK_S = 30;
/** After so many blocks of that length, the nodes know the block time. */
const STEADY = 20;
const UNSEEN = 60n;
/** Blocks that the payer's lock lives. */
const LIFETIME = 68n;

let network: VirtualNetwork;
let line: Line;
let endpoint: Endpoint;
/** Milliseconds by which blocks that were mined at once are ahead of the clock. */
let ahead = 0;
/** Locks of alice that came to bob. */
let arrived = 0;
const chainClock = (): Clock => ({ ...network.clock, now: () => network.clock.now() + ahead });

const bobs = () => line.held('bob', 'alice') + line.held('bob', 'carol');
const bobIs = (status: string) =>
  until(() => line.node('bob').status().status === status, `bob is ${status}`);
const allReady = () =>
  until(() => NAMES.every((name) => line.node(name).status().status === 'ready'), 'all are ready');

/** Mines blocks and moves the clock along with the chain's time. */
async function mine(blocks: bigint) {
  await anvilCall(
    network.chain,
    'anvil_mine',
    `0x${blocks.toString(16)}`,
    `0x${BLOCK_S.toString(16)}`,
  );
  const { timestamp } = await network.chain.client.getBlock();
  ahead = 1000 * Number(timestamp) - network.clock.now();
}

/**
 * Bob's transport, which cuts alice and bob off from each other once her lock has arrived for the first time.
 */
function cutAfterLock(): Transport {
  const transport = network.bus.connect(network.addressOf('bob'));
  return {
    ...transport,
    onMessage: (handler, publicKey) =>
      transport.onMessage((payload) => {
        handler(payload);
        const isLock = ({ message }: SentMessage) =>
          message.type === 'Update' &&
          message.changes.some((change) => 'lock' in change && change.lock.amount === AMOUNT);
        if (!network.read(network.addressOf('bob'), payload).some(isLock)) return;
        if (arrived === 0) network.bus.cut(...line.between('alice', 'bob'));
        arrived += 1;
      }, publicKey),
  };
}

describe.each([
  ['that makes its blocks in time, whose head is too old', 4_242, chainClock],
  ['of development, which says that it has more blocks', 31_337, () => network.clock],
])('a mediator whose endpoint is frozen, on a chain %s', (_, chainId, clockOf) => {
  beforeAll(async () => {
    [arrived, ahead] = [0, 0];
    const choices = { fees: { byToken: new Map(), others: FREE }, defaultSettleTimeout: 100n };
    network = startVirtualNetwork({ chainId, choices });
    endpoint = network.addEndpoint(RPC);
    const clock = clockOf();
    await mine(100n);
    line = await startLine(network, NAMES, (name) => {
      // Carol has the same frozen endpoint as bob, and so asks for the secret: she plays into alice's hands.
      if (name === 'alice') return { clock };
      const given = { rpc: RPC, clock };
      return name === 'bob' ? { ...given, transport: cutAfterLock() } : given;
    });
    for (let blocks = 0; blocks < STEADY; blocks++) {
      await mine(1n);
      await line.agree();
    }
    await allReady();
  });
  afterAll(() => network?.stop());

  it('loses nothing to a payer who lets the lock run out once the payee is paid', async () => {
    const before = bobs();
    const isPaid = () => line.held('carol', 'bob') > 0n;
    network.bus.cut(...line.between('alice', 'bob'));
    const order = line.payment(NAMES, { amount: AMOUNT, lockTimeout: LIFETIME });
    const paying = line.node('alice').pay(order);
    await until(() => line.pending('alice').length === 1, 'alice has locked');
    endpoint.freeze();
    await mine(UNSEEN);
    await bobIs('unavailable');
    network.bus.heal(...line.between('alice', 'bob'));
    await until(() => arrived === 1, 'the lock arrives at bob');
    await until(
      () => isPaid() || line.pending('bob').length === 0,
      'the lock is paid or not taken',
    );

    await mine(30n);
    expect(await paying).toMatchObject({ ok: false, code: 'lock_expired' });
    endpoint.thaw();
    network.bus.heal(...line.between('alice', 'bob'));
    const isTold = () => arrived > 1 && line.pending('bob').length === 0;
    await until(isTold, 'bob hears of the lock, and that it is gone');
    expect(bobs()).toBe(before);
    await line.expectBooks();
    await allReady();
  });

  it('says so, locks nothing, and goes on by itself when the endpoint does', async () => {
    const bob = line.node('bob');
    const hasTold = () => bob.notifications().filter(({ id }) => id === 'chain_unavailable');
    endpoint.freeze();
    await mine(UNSEEN);
    await bobIs('unavailable');
    expect(bob.status()).toMatchObject({ reason: expect.stringMatching(/newest block|knows no/) });
    expect(await bob.pay(line.payment(['bob', 'carol']))).toMatchObject({ ok: false });
    expect(line.pending('bob')).toEqual([]);
    await bob.checkNotifications();
    expect(hasTold()).toMatchObject([{ urgency: 'high' }]);
    endpoint.thaw();
    await allReady();
    await bob.checkNotifications();
    expect(hasTold()).toEqual([]);
    const before = line.held('carol', 'bob');
    good(await line.node('alice').pay(line.payment(NAMES, { amount: TOKENS })));
    await until(() => line.held('carol', 'bob') === before + TOKENS, 'the payment arrives');
    await line.expectBooks();
  });

  it('passes nothing on while the blocks that it sees are old, and does so again when they are not', async () => {
    const seenBy = async (block: bigint) =>
      ((await line.node('bob').stats()).chain?.confirmed ?? 0n) >= block;
    const before = line.held('carol', 'bob') + 50n * TOKENS;
    good(await line.node('bob').pay(line.payment(['bob', 'carol'], { amount: 50n * TOKENS })));
    await until(() => line.held('carol', 'bob') === before, 'carol is paid');
    const amount = 60n * TOKENS;
    const order = line.payment(NAMES, { amount, lockTimeout: LIFETIME });
    const paying = line.node('alice').pay(order);
    await until(() => line.pending('bob').includes('mediator'), 'bob waits for money');
    endpoint.freeze();
    await mine(20n);
    endpoint.thaw();
    endpoint.faults.lagBlocks = 20n;
    await bobIs('unavailable');
    await depositForBob(2n * DEPOSIT);
    await mine(21n);
    const late = (await network.chain.client.getBlockNumber({ cacheTime: 0 })) - 21n;
    await until(() => seenBy(late), 'bob reads the deposit');
    await mine(1n);
    await until(() => seenBy(late + 1n), 'bob reads another block');
    expect(line.held('bob', 'carol')).toBeGreaterThan(amount);
    expect(line.pending('bob')).toEqual(['mediator']);
    endpoint.faults.lagBlocks = 0n;
    await allReady();
    await mine(1n);
    good(await paying);
    await until(() => line.held('carol', 'bob') === before + amount, 'the payment arrives');
  });
});

/** Anybody can put tokens into a channel for somebody. */
async function depositForBob(total: bigint) {
  const { clients, token, tokenNetwork, addressOf } = network;
  const channel = line.node('bob').channel(token, addressOf('carol'));
  if (channel === null) throw new Error('bob has no channel with carol');
  const own = clients.wallet.account?.address ?? ZERO_ADDRESS;
  await mintTokens(clients, token, own, total);
  const approval = { functionName: 'approve', args: [tokenNetwork, total] } as const;
  await clients.wallet.writeContract({ address: token, abi: customTokenAbi, ...approval });
  const { channelId } = channel;
  const hash = await clients.wallet.writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'setTotalDeposit',
    args: [channelId, addressOf('bob'), total, addressOf('carol')],
  });
  await confirmed(clients, hash, 'the deposit');
}
