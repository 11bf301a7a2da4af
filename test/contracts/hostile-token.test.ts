import { encodeFunctionData, type Hex, keccak256, numberToHex, sha256 } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/basics/hex.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { compileSources } from '../../src/contracts/solidity.ts';
import { registerNewToken } from '../../src/contracts/tokens.ts';
import { type Chain, done, person, startChain } from './chain.ts';
import * as channel from './channel.ts';
import { type Lock, NO_TRANSFERS, type Place, packLocks, proofOf } from './sign.ts';

/** Misbehaves as it is told: returns false, returns nothing, or calls back in the middle of a payout. */
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
contract HostileToken {
    enum Mood { Honest, False, Nothing, CallBack }
    uint256 public totalSupply = 1;
    mapping(address owner => uint256) public balanceOf;
    Mood private mood;
    bytes private callback;
    uint256 public succeeded;

    function misbehave(Mood to, bytes calldata then) external { mood = to; callback = then; }
    function mint(uint256 num) external { balanceOf[msg.sender] += num; totalSupply += num; }
    function approve(address, uint256) external pure returns (bool) { return true; }
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        return move(from, to, value);
    }
    function transfer(address to, uint256 value) external returns (bool) {
        return move(msg.sender, to, value);
    }
    function move(address from, address to, uint256 value) private returns (bool) {
        if (mood == Mood.False) return false;
        if (mood == Mood.CallBack) {
            (bool ok,) = msg.sender.call(callback);
            if (ok) succeeded++;
        }
        balanceOf[from] -= value;
        balanceOf[to] += value;
        if (mood == Mood.Nothing) assembly { return(0, 0) }
        return true;
    }
}`;
const HOSTILE_ABI = [
  {
    type: 'function',
    name: 'misbehave',
    stateMutability: 'nonpayable',
    inputs: [{ type: 'uint8' }, { type: 'bytes' }],
    outputs: [],
  },
  {
    type: 'function',
    name: 'succeeded',
    stateMutability: 'view',
    inputs: [],
    outputs: [{ type: 'uint256' }],
  },
] as const;
const MOODS = { false: 1, nothing: 2, callBack: 3 };

const FAR = 10n ** 9n;
const alice = person(1);
const bob = person(2);
const SECRET = numberToHex(5, { size: 32 });
const LOCKS: Lock[] = [{ expiration: FAR, amount: 10n, secrethash: sha256(SECRET) }];
const BY_ALICE = { transferred: 20n, locked: 10n, locksroot: keccak256(packLocks(LOCKS)) };

let chain: Chain;
let place: Place;
let snapshot: unknown;

/** Alice and Bob deposited 100 each; others' 1,000 lie in the network, too, for a thief to find. */
beforeAll(async () => {
  const started = await startChain();
  const compiled = compileSources({ name: 'Hostile.sol', content: SOURCE }).get('HostileToken');
  if (compiled === undefined) throw new Error('no token');
  const hash = await started.clients.wallet.deployContract({
    abi: [],
    bytecode: compiled.bytecode,
  });
  const receipt = await started.clients.public.waitForTransactionReceipt({ hash });
  const token = parseAddress(receipt.contractAddress);
  if (token === null) throw new Error('not deployed');
  const registry = started.deployment.tokenNetworkRegistryAddress;
  const network = await registerNewToken(started.clients, registry, token);
  chain = { ...started, token, network };
  const others = await channel.open(chain, person(3), person(4));
  await channel.fundAndDeposit(chain, others, person(3), person(4), 1_000n);
  place = await channel.open(chain, alice, bob);
  await channel.fundAndDeposit(chain, place, alice, bob, 100n);
  await channel.fundAndDeposit(chain, place, bob, alice, 100n);
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

async function misbehave(mood: number, callback: Hex = '0x'): Promise<void> {
  const call = { to: chain.token, abi: HOSTILE_ABI, functionName: 'misbehave' } as const;
  done(await chain.send({ ...call, args: [mood, callback] }));
}

const succeeded = () =>
  chain.clients.public.readContract({
    address: chain.token,
    abi: HOSTILE_ABI,
    functionName: 'succeeded',
  });

const withdraw = async () => {
  const signed = await channel.consent(place, alice, bob, 40n, FAR);
  return {
    send: () => channel.withdraw(chain, place.id, signed),
    again: encodeFunctionData({
      abi: tokenNetworkAbi,
      functionName: 'setTotalWithdraw2',
      args: [place.id, signed],
    }),
  };
};

/** Bob closes with what Alice sent; settling is then possible. */
async function closed() {
  const evidence = await channel.closeEvidence(place, bob, alice, proofOf(BY_ALICE, 3n));
  const { block } = done(await channel.close(chain, place.id, bob, alice, evidence));
  await chain.goTo(block + 11n);
}

const settle = () =>
  channel.settle(
    chain,
    place.id,
    { ...NO_TRANSFERS, address: bob.address },
    { ...BY_ALICE, address: alice.address },
  );
const settleAgain = () =>
  encodeFunctionData({
    abi: tokenNetworkAbi,
    functionName: 'settleChannel2',
    args: [
      place.id,
      {
        participant: bob.address,
        transferred_amount: 0n,
        locked_amount: 0n,
        locksroot: NO_TRANSFERS.locksroot,
      },
      {
        participant: alice.address,
        transferred_amount: BY_ALICE.transferred,
        locked_amount: BY_ALICE.locked,
        locksroot: BY_ALICE.locksroot,
      },
    ],
  });

const unlock = () => channel.unlock(chain, place.id, bob.address, alice.address, packLocks(LOCKS));
const unlockAgain = () =>
  encodeFunctionData({
    abi: tokenNetworkAbi,
    functionName: 'unlock',
    args: [place.id, bob.address, alice.address, packLocks(LOCKS)],
  });

const held = async () => [
  await channel.balanceOf(chain, alice.address),
  await channel.balanceOf(chain, bob.address),
  await channel.balanceOf(chain, chain.network),
];

describe('a token that returns false', () => {
  it('makes deposits, withdrawals and settlements fail, which then change nothing', async () => {
    const { send } = await withdraw();
    await misbehave(MOODS.false);
    expect(await channel.deposit(chain, place, alice, bob, 101n)).toEqual({
      ok: false,
      reason: 'TN/deposit: transfer failed',
    });
    expect(await send()).toEqual({ ok: false, reason: 'TN/withdraw: transfer failed' });
    await closed();
    expect(await settle()).toEqual({
      ok: false,
      reason: 'TN/settle: transfer for participant 1 failed',
    });
    expect(await channel.info(chain, place.id, alice, bob)).toMatchObject([expect.any(BigInt), 2]);
  });
});

describe('a token that returns nothing', () => {
  it('cannot be deposited', async () => {
    await channel.fund(chain, alice.address, 1n);
    await misbehave(MOODS.nothing);
    const outcome = await channel.deposit(chain, place, alice, bob, 101n);
    expect(outcome).toEqual({ ok: false, reason: 'no reason' });
  });
});

describe('a token that calls back while it is paid out', () => {
  it('withdraws nothing twice', async () => {
    const { send, again } = await withdraw();
    await misbehave(MOODS.callBack, again);
    done(await send());
    expect(await succeeded()).toBe(0n);
    expect(await held()).toEqual([40n, 0n, 1_160n]);
  });

  it('settles nothing twice', async () => {
    await closed();
    await misbehave(MOODS.callBack, settleAgain());
    done(await settle());
    expect(await succeeded()).toBe(0n);
    expect(await held()).toEqual([70n, 120n, 1_010n]);
  });

  it('unlocks nothing twice', async () => {
    await closed();
    done(await settle());
    await misbehave(MOODS.callBack, unlockAgain());
    done(await unlock());
    expect(await succeeded()).toBe(0n);
    expect(await held()).toEqual([80n, 120n, 1_000n]);
  });

  it('can unlock during the settlement, which pays the same as an unlock after it', async () => {
    await closed();
    await misbehave(MOODS.callBack, unlockAgain());
    done(await settle());
    expect(await succeeded()).toBe(1n);
    expect(await held()).toEqual([80n, 120n, 1_000n]);
  });
});
