import { parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { type Chain, done, person, startChain, toNetwork } from './chain.ts';
import * as channel from './channel.ts';

const PARTICIPANT_LIMIT = 100n;
const NETWORK_LIMIT = 150n;

const alice = person(1);
const bob = person(2);
const carol = person(3);

let chain: Chain;
let snapshot: unknown;

beforeAll(async () => {
  chain = await startChain({
    deploy: { settleTimeoutMin: 10n, settleTimeoutMax: 20n },
    limits: { participantLimit: PARTICIPANT_LIMIT, networkLimit: NETWORK_LIMIT },
  });
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

const refused = (reason: string) => ({ ok: false, reason });

function open(one = alice.address, two = bob.address, timeout = 10n) {
  const args = [one, two, timeout] as const;
  return chain.send({ ...toNetwork(chain), functionName: 'openChannel', args });
}

function openWithDeposit(total: bigint, timeout = 10n) {
  return chain.send({
    ...toNetwork(chain),
    from: alice.address,
    functionName: 'openChannelWithDeposit',
    args: [alice.address, bob.address, timeout, total],
  });
}

const read = (functionName: 'channel_counter' | 'channel_participant_deposit_limit') =>
  chain.clients.public.readContract({ address: chain.network, abi: tokenNetworkAbi, functionName });

const limits = async () => [
  await read('channel_participant_deposit_limit'),
  await chain.clients.public.readContract({
    address: chain.network,
    abi: tokenNetworkAbi,
    functionName: 'token_network_deposit_limit',
  }),
];

const asController = (functionName: 'deprecate' | 'removeLimits', from = person(0).address) =>
  chain.send({ ...toNetwork(chain), from, functionName });

describe('opening a channel', () => {
  it('numbers channels from one and names the participants in the order of the call', async () => {
    const outcome = done(await open(bob.address, alice.address, 20n));
    const [event] = parseEventLogs({ abi: tokenNetworkAbi, logs: outcome.logs });
    expect(event?.args).toEqual({
      channel_identifier: 1n,
      participant1: bob.address,
      participant2: alice.address,
      settle_timeout: 20n,
    });
    expect(await channel.info(chain, 1n, alice, bob)).toEqual([20n, 1]);
    done(await open(alice.address, carol.address));
    expect(await read('channel_counter')).toBe(2n);
  });

  it.each([
    [9n, 'TN: settle timeout < min'],
    [21n, 'TN: settle timeout > max'],
    [2n ** 256n - 1n, 'TN: settle timeout > max'],
  ])(
    'refuses a settle timeout of %i blocks where 10 to 20 are allowed',
    async (timeout, reason) => {
      expect(await open(alice.address, bob.address, timeout)).toEqual(refused(reason));
      expect(await openWithDeposit(1n, timeout)).toEqual(refused(reason));
    },
  );

  it.each([10n, 20n])(
    'accepts a settle timeout of %i blocks where 10 to 20 are allowed',
    async (timeout) => {
      expect(await open(alice.address, bob.address, timeout)).toMatchObject({ ok: true });
    },
  );

  it('refuses a participant twice and the zero address', async () => {
    expect(await open(alice.address, alice.address)).toEqual(refused('TN: identical addresses'));
    expect(await open(ZERO_ADDRESS, bob.address)).toEqual(refused('TN: participant address zero'));
    expect(await open(alice.address, ZERO_ADDRESS)).toEqual(refused('TN: partner address zero'));
  });

  it('refuses a second channel of a pair in either order', async () => {
    done(await open());
    const reason = 'TN/open: channel exists for participants';
    expect(await open()).toEqual(refused(reason));
    expect(await open(bob.address, alice.address)).toEqual(refused(reason));
    await channel.fund(chain, alice.address, 1n);
    expect(await openWithDeposit(1n)).toEqual(refused(reason));
  });

  it('is refused when the network holds its limit, and not one unit below it', async () => {
    const mint = (amount: bigint) =>
      chain.send({
        to: chain.token,
        abi: customTokenAbi,
        functionName: 'mintFor',
        args: [amount, chain.network],
      });
    done(await mint(NETWORK_LIMIT - 1n));
    done(await open());
    done(await mint(1n));
    const outcome = await open(alice.address, carol.address);
    expect(outcome).toEqual(refused('TN/open: network deposit limit reached'));
  });
});

describe('depositing', () => {
  it('takes the tokens from the caller and credits the participant', async () => {
    const { id } = await channel.open(chain, alice, bob);
    await channel.fund(chain, carol.address, 30n);
    const outcome = await chain.send({
      ...toNetwork(chain),
      from: carol.address,
      functionName: 'setTotalDeposit',
      args: [id, alice.address, 30n, bob.address],
    });
    const [event] = parseEventLogs({
      abi: tokenNetworkAbi,
      eventName: 'ChannelNewDeposit',
      logs: done(outcome).logs,
    });
    expect(event?.args).toEqual({
      channel_identifier: id,
      participant: alice.address,
      total_deposit: 30n,
    });
    expect(await channel.balanceOf(chain, carol.address)).toBe(0n);
    expect(await channel.participantInfo(chain, id, alice, bob)).toMatchObject({ deposited: 30n });
    expect(await channel.participantInfo(chain, id, bob, alice)).toMatchObject({ deposited: 0n });
  });

  it('moves only what the total grows by', async () => {
    const place = await channel.open(chain, alice, bob);
    await channel.fund(chain, alice.address, 50n);
    done(await channel.deposit(chain, place, alice, bob, 20n));
    done(await channel.deposit(chain, place, alice, bob, 50n));
    expect(await channel.balanceOf(chain, chain.network)).toBe(50n);
  });

  it('refuses a total that does not grow', async () => {
    const place = await channel.open(chain, alice, bob);
    const none = refused('TN/deposit: no deposit added');
    expect(await channel.deposit(chain, place, alice, bob, 0n)).toEqual(none);
    await channel.fundAndDeposit(chain, place, alice, bob, 20n);
    expect(await channel.deposit(chain, place, alice, bob, 20n)).toEqual(none);
    const lower = await channel.deposit(chain, place, alice, bob, 19n);
    expect(lower).toEqual(refused('TN/deposit: deposit underflow'));
  });

  it('reaches the participant limit and not more', async () => {
    const place = await channel.open(chain, alice, bob);
    await channel.fund(chain, alice.address, PARTICIPANT_LIMIT + 1n);
    const above = await channel.deposit(chain, place, alice, bob, PARTICIPANT_LIMIT + 1n);
    expect(above).toEqual(refused('TN/deposit: deposit limit reached'));
    done(await channel.deposit(chain, place, alice, bob, PARTICIPANT_LIMIT));
  });

  it('reaches the network limit and not more', async () => {
    const place = await channel.open(chain, alice, bob);
    await channel.fundAndDeposit(chain, place, alice, bob, 100n);
    await channel.fund(chain, bob.address, 51n);
    const above = await channel.deposit(chain, place, bob, alice, 51n);
    expect(above).toEqual(refused('TN/deposit: network limit reached'));
    done(await channel.deposit(chain, place, bob, alice, 50n));
  });

  it('refuses another channel, another pair and a channel that is not open', async () => {
    const place = await channel.open(chain, alice, bob);
    const mismatch = refused('TN/deposit: channel id mismatch');
    const next = { ...place, id: place.id + 1n };
    expect(await channel.deposit(chain, next, alice, bob, 1n)).toEqual(mismatch);
    expect(await channel.deposit(chain, place, alice, carol, 1n)).toEqual(mismatch);
    const none = await channel.deposit(chain, { ...place, id: 0n }, alice, carol, 1n);
    expect(none).toEqual(refused('TN/deposit: channel not open'));
    const evidence = await channel.closeEvidence(place, alice, bob);
    done(await channel.close(chain, place.id, alice, bob, evidence));
    const late = await channel.deposit(chain, place, alice, bob, 1n);
    expect(late).toEqual(refused('TN/deposit: channel not open'));
  });

  it('changes nothing when the tokens cannot be transferred', async () => {
    const place = await channel.open(chain, alice, bob);
    expect(await channel.deposit(chain, place, alice, bob, 5n)).toEqual(
      refused('allowance too low'),
    );
    expect(await channel.participantInfo(chain, place.id, alice, bob)).toMatchObject({
      deposited: 0n,
    });
  });
});

describe('opening with a deposit', () => {
  it('does both at once', async () => {
    await channel.fund(chain, alice.address, 40n);
    const { logs } = done(await openWithDeposit(40n));
    const names = parseEventLogs({ abi: tokenNetworkAbi, logs }).map(({ eventName }) => eventName);
    expect(names).toEqual(['ChannelOpened', 'ChannelNewDeposit']);
    expect(await channel.participantInfo(chain, 1n, alice, bob)).toMatchObject({ deposited: 40n });
  });

  it('refuses a deposit of zero and one above either limit', async () => {
    await channel.fund(chain, alice.address, 1_000n);
    expect(await openWithDeposit(0n)).toEqual(refused('TN/deposit: no deposit added'));
    expect(await openWithDeposit(101n)).toEqual(refused('TN/deposit: deposit limit reached'));
    const other = await channel.open(chain, bob, carol);
    await channel.fundAndDeposit(chain, other, bob, carol, 60n);
    expect(await openWithDeposit(91n)).toEqual(refused('TN/deposit: network limit reached'));
    expect(await openWithDeposit(90n)).toMatchObject({ ok: true });
  });
});

describe('the controller', () => {
  it('alone may deprecate the network, once, which stops openings and deposits only', async () => {
    const place = await channel.open(chain, alice, bob);
    await channel.fundAndDeposit(chain, place, alice, bob, 20n);
    const stranger = await asController('deprecate', alice.address);
    expect(stranger).toEqual(refused('Can only be called by controller'));
    const { logs } = done(await asController('deprecate'));
    expect(parseEventLogs({ abi: tokenNetworkAbi, logs })).toMatchObject([
      { eventName: 'DeprecationSwitch', args: { new_value: true } },
    ]);
    const deprecated = refused('TN: network is deprecated');
    expect(await asController('deprecate')).toEqual(deprecated);
    expect(await open(alice.address, carol.address)).toEqual(deprecated);
    expect(await openWithDeposit(1n)).toEqual(deprecated);
    expect(await channel.deposit(chain, place, alice, bob, 21n)).toEqual(deprecated);
    const signed = await channel.consent(place, alice, bob, 5n, 10_000n);
    expect(await channel.withdraw(chain, place.id, signed)).toMatchObject({ ok: true });
    const evidence = await channel.closeEvidence(place, alice, bob);
    expect(await channel.close(chain, place.id, alice, bob, evidence)).toMatchObject({ ok: true });
  });

  it('alone may remove the limits', async () => {
    expect(await limits()).toEqual([PARTICIPANT_LIMIT, NETWORK_LIMIT]);
    const stranger = await asController('removeLimits', bob.address);
    expect(stranger).toEqual(refused('Can only be called by controller'));
    done(await asController('removeLimits'));
    expect(await limits()).toEqual([2n ** 256n - 1n, 2n ** 256n - 1n]);
    const place = await channel.open(chain, alice, bob);
    await channel.fundAndDeposit(chain, place, alice, bob, NETWORK_LIMIT + 1n);
  });

  it('can hand its rights over', async () => {
    const change = {
      ...toNetwork(chain),
      functionName: 'changeController',
      args: [bob.address],
    } as const;
    expect(await chain.send({ ...change, from: bob.address })).toEqual(
      refused('Can only be called by controller'),
    );
    done(await chain.send(change));
    expect(await asController('deprecate')).toEqual(refused('Can only be called by controller'));
    done(await open());
    expect(await read('channel_counter')).toBe(1n);
    expect(await asController('deprecate', bob.address)).toMatchObject({ ok: true });
  });
});
