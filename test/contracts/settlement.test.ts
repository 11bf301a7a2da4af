import fc from 'fast-check';
import { type Hex, keccak256, numberToHex, parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { compileSources } from '../../src/contracts/solidity.ts';
import vectors from '../vectors.json' with { type: 'json' };
import { type Chain, done, person, startChain } from './chain.ts';
import * as channel from './channel.ts';
import { CEILING, divide, type Shares, type Side, sent } from './model.ts';
import { NO_LOCKS, proofOf, type Signer, type Transfers } from './sign.ts';

/** Calls the library that TokenNetwork settles with, for many channels in one call. */
const HARNESS = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
import {Settlement} from "./Settlement.sol";
contract Harness {
    function divide(uint256[8][] calldata rows) external pure returns (uint256[4][] memory shares) {
        shares = new uint256[4][](rows.length);
        for (uint256 i = 0; i < rows.length; i++) {
            uint256[8] calldata r = rows[i];
            (Settlement.Share memory one, Settlement.Share memory two) = Settlement.divide(
                Settlement.Side(r[0], r[1], r[2], r[3]), Settlement.Side(r[4], r[5], r[6], r[7])
            );
            shares[i] = [one.paid, two.paid, one.locked, two.locked];
        }
    }
}`;
const HARNESS_ABI = [
  {
    type: 'function',
    name: 'divide',
    stateMutability: 'pure',
    inputs: [{ name: 'rows', type: 'uint256[8][]' }],
    outputs: [{ name: 'shares', type: 'uint256[4][]' }],
  },
] as const;
const HARNESS_ADDRESS = '0x00000000000000000000000000000000000000aa';

/** An amount around one of the places where arithmetic goes wrong. */
const amount = fc.oneof(
  fc.bigInt(0n, 100n),
  fc.bigInt(0n, CEILING),
  fc.bigInt(CEILING - 100n, CEILING),
  fc.bigInt(2n ** 128n - 50n, 2n ** 128n + 50n),
  fc.bigInt(2n ** 127n - 50n, 2n ** 127n + 50n),
  fc.bigInt(2n ** 255n - 50n, 2n ** 255n + 50n),
);

const small = fc.bigInt(0n, 60n);

/**
 * Any state that deposits of at most `supply` and withdrawals can lead to, with any transfers, in the
 * order that settling wants.
 */
function anyChannel(part: fc.Arbitrary<bigint>, supply = CEILING): fc.Arbitrary<[Side, Side]> {
  return fc
    .tuple(part, part, part, part, part, part, part, part)
    .map(([d1, d2, w1, w2, t1, l1, t2, l2]): [Side, Side] => {
      const deposit1 = d1 > supply ? supply : d1;
      const deposit2 = deposit1 + d2 > supply ? supply - deposit1 : d2;
      const total = deposit1 + deposit2;
      const withdrawn1 = w1 > total ? w1 % (total + 1n) : w1;
      const left = total - withdrawn1;
      const withdrawn2 = w2 > left ? w2 % (left + 1n) : w2;
      const one = { deposit: deposit1, withdrawn: withdrawn1, transferred: t1, locked: l1 };
      const two = { deposit: deposit2, withdrawn: withdrawn2, transferred: t2, locked: l2 };
      return sent(one) <= sent(two) ? [one, two] : [two, one];
    });
}

const published = vectors.settlement.cases.map((row): [string, Side, Side, Shares] => {
  const side = (text: {
    deposit: string;
    withdrawn: string;
    transferred: string;
    locked: string;
  }) => ({
    deposit: BigInt(text.deposit),
    withdrawn: BigInt(text.withdrawn),
    transferred: BigInt(text.transferred),
    locked: BigInt(text.locked),
  });
  const shares = {
    paid1: BigInt(row.settle.participant1_amount),
    paid2: BigInt(row.settle.participant2_amount),
    locked1: BigInt(row.settle.participant1_locked),
    locked2: BigInt(row.settle.participant2_locked),
  };
  return [row.group, side(row.participant1), side(row.participant2), shares];
});

let chain: Chain;

async function divideOnChain(pairs: readonly [Side, Side][]): Promise<Shares[]> {
  const flat = ({ deposit, withdrawn, transferred, locked }: Side) =>
    [deposit, withdrawn, transferred, locked] as const;
  const shares = await chain.clients.public.readContract({
    address: HARNESS_ADDRESS,
    abi: HARNESS_ABI,
    functionName: 'divide',
    args: [pairs.map(([one, two]) => [...flat(one), ...flat(two)] as const)],
  });
  return shares.map(([paid1, paid2, locked1, locked2]) => ({ paid1, paid2, locked1, locked2 }));
}

beforeAll(async () => {
  chain = await startChain();
  const harness = compileSources({ name: 'Harness.sol', content: HARNESS }).get('Harness');
  if (harness === undefined) throw new Error('no harness');
  const hash = await chain.clients.wallet.deployContract({ abi: [], bytecode: harness.bytecode });
  const { contractAddress } = await chain.clients.public.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('the harness was not deployed');
  const code = await chain.clients.public.getCode({ address: contractAddress });
  await chain.rpc('hardhat_setCode', [HARNESS_ADDRESS, code]);
});

describe('the settlement arithmetic in the EVM', () => {
  it('agrees with the model in 12,000 random channels', async () => {
    const seed = 20_240;
    const channels = [
      ...fc.sample(anyChannel(amount), { numRuns: 8_000, seed }),
      ...fc.sample(anyChannel(small), { numRuns: 4_000, seed }),
    ];
    for (let i = 0; i < channels.length; i += 1_000) {
      const some = channels.slice(i, i + 1_000);
      const shares = await divideOnChain(some);
      expect(shares).toEqual(some.map(([one, two]) => divide(one, two)));
    }
  });

  it('pays out or keeps for unlocking exactly what the channel holds', async () => {
    const channels = fc.sample(anyChannel(amount), { numRuns: 1_000, seed: 7 });
    for (const [i, share] of (await divideOnChain(channels)).entries()) {
      const [one, two] = channels[i] ?? [];
      if (one === undefined || two === undefined) throw new Error('more shares than channels');
      const held = one.deposit + two.deposit - one.withdrawn - two.withdrawn;
      expect(share.paid1 + share.paid2 + share.locked1 + share.locked2).toBe(held);
      expect(share.locked1 <= one.locked && share.locked2 <= two.locked).toBe(true);
    }
  });

  it('refuses the two sides in the wrong order', async () => {
    const one = { deposit: 10n, withdrawn: 0n, transferred: 5n, locked: 1n };
    const two = { deposit: 10n, withdrawn: 0n, transferred: 5n, locked: 0n };
    await expect(divideOnChain([[one, two]])).rejects.toThrow('TN: transfers not ordered');
  });
});

/** A locksroot that belongs to no list of locks; the settlement never looks behind it. */
const SOME_ROOT = keccak256('0x1234');

function transfersOf({ transferred, locked }: Side): Transfers {
  return { transferred, locked, locksroot: locked > 0n ? SOME_ROOT : NO_LOCKS };
}

/** Who is participant 1 and closes, and who is participant 2. The first pair has the higher address first. */
type Pair = readonly [one: Signer, two: Signer];
const HIGHER_FIRST: Pair = [person(1), person(2)];
const LOWER_FIRST: Pair = [person(2), person(1)];
const FAR = 10n ** 9n;

/** Deposits what both need, then moves withdrawals out in the order that the funds allow. */
async function prepare([alice, bob]: Pair, one: Side, two: Side) {
  const place = await channel.open(chain, alice, bob);
  if (one.deposit > 0n) await channel.fundAndDeposit(chain, place, alice, bob, one.deposit);
  if (two.deposit > 0n) await channel.fundAndDeposit(chain, place, bob, alice, two.deposit);
  const takeOut = async (owner: Signer, partner: Signer, total: bigint) => {
    if (total === 0n) return;
    const signed = await channel.consent(place, owner, partner, total, FAR);
    done(await channel.withdraw(chain, place.id, signed));
  };
  await takeOut(alice, bob, one.withdrawn);
  await takeOut(bob, alice, two.withdrawn);
  return place;
}

/** The whole life of a channel; what is on chain in the end. */
async function live(pair: Pair, one: Side, two: Side) {
  const [alice, bob] = pair;
  const place = await prepare(pair, one, two);
  const [byAlice, byBob] = [transfersOf(one), transfersOf(two)];
  const bobsProof = channel.hasProof(byBob) ? proofOf(byBob, 3n) : undefined;
  const closing = await channel.closeEvidence(place, alice, bob, bobsProof);
  const closed = done(await channel.close(chain, place.id, alice, bob, closing));
  if (channel.hasProof(byAlice)) {
    const updating = await channel.updateEvidence(place, alice, bob, proofOf(byAlice, 2n));
    done(await channel.update(chain, place.id, alice, bob, updating));
  }
  await chain.goTo(closed.block + 11n);
  const before = [
    await channel.balanceOf(chain, alice.address),
    await channel.balanceOf(chain, bob.address),
  ] as const;
  const settled = await channel.settle(
    chain,
    place.id,
    { ...byAlice, address: alice.address },
    { ...byBob, address: bob.address },
  );
  const [event] = parseEventLogs({
    abi: tokenNetworkAbi,
    eventName: 'ChannelSettled',
    logs: done(settled).logs,
  });
  const keptByAlice = await channel.participantInfo(chain, place.id, alice, bob);
  const keptByBob = await channel.participantInfo(chain, place.id, bob, alice);
  const gainedByAlice = (await channel.balanceOf(chain, alice.address)) - before[0];
  const gainedByBob = (await channel.balanceOf(chain, bob.address)) - before[1];
  return { place, event, keptByAlice, keptByBob, gainedByAlice, gainedByBob };
}

async function expectLife(pair: Pair, one: Side, two: Side, shares: Shares): Promise<void> {
  const [alice, bob] = pair;
  const ended = await live(pair, one, two);
  expect(ended.event?.args).toEqual({
    channel_identifier: ended.place.id,
    participant1: alice.address,
    participant1_amount: shares.paid1,
    participant1_locksroot: transfersOf(one).locksroot,
    participant2: bob.address,
    participant2_amount: shares.paid2,
    participant2_locksroot: transfersOf(two).locksroot,
  });
  expect([ended.gainedByAlice, ended.gainedByBob]).toEqual([shares.paid1, shares.paid2]);
  const kept = (locked: bigint): { locked: bigint; locksroot: Hex } => ({
    locked,
    locksroot: locked > 0n ? SOME_ROOT : numberToHex(0, { size: 32 }),
  });
  expect(ended.keptByAlice).toMatchObject({ ...kept(shares.locked1), deposited: 0n, nonce: 0n });
  expect(ended.keptByBob).toMatchObject({ ...kept(shares.locked2), deposited: 0n, nonce: 0n });
  const hasLocks = shares.locked1 > 0n || shares.locked2 > 0n;
  expect(await channel.info(chain, ended.place.id, alice, bob)).toEqual([0n, hasLocks ? 3 : 4]);
}

describe('a channel that is opened, funded, closed, updated and settled', () => {
  let snapshot: unknown;
  beforeEach(async () => {
    snapshot = await chain.rpc('evm_snapshot');
  });
  afterEach(() => chain.rpc('evm_revert', [snapshot]));

  it.each(published)('ends as published: %s', async (_group, one, two, shares) => {
    expect(divide(one, two)).toEqual(shares);
    await expectLife(HIGHER_FIRST, one, two, shares);
  });

  const random = [
    // One unit exists already: a token without supply has no network.
    ...fc.sample(anyChannel(amount, CEILING - 1n), { numRuns: 30, seed: 99 }),
    ...fc.sample(anyChannel(small), { numRuns: 20, seed: 99 }),
  ].map(([one, two], i): [number, Side, Side] => [i, one, two]);

  it.each(random)('ends as the model says: random channel %i', async (i, one, two) => {
    await expectLife(i % 2 === 0 ? HIGHER_FIRST : LOWER_FIRST, one, two, divide(one, two));
  });
});
