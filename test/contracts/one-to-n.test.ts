import { concat, encodePacked, type Hex, keccak256, maxUint256, parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { oneToNAbi } from '../../src/contracts/generated/OneToN.ts';
import { type Chain, done, person, startChain } from './chain.ts';
import { depositForUser, fundAndRegister, userBalance } from './services.ts';
import { type Signer, signIou } from './sign.ts';

const FAR = 10n ** 9n;

const alice = person(1);
const bob = person(2);
const service = person(3);
const unregistered = person(4);

let chain: Chain;
let snapshot: unknown;

/** Alice and Bob have user deposits of 100; the service is registered. */
beforeAll(async () => {
  chain = await startChain();
  await fundAndRegister(chain, service.address);
  await depositForUser(chain, alice.address, 100n);
  await depositForUser(chain, bob.address, 100n);
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

const refused = (reason: string) => ({ ok: false, reason });

type Claim = { sender: Signer; receiver: Address; amount: bigint; expiration: bigint };
const claimOf = (changed: Partial<Claim> = {}): Claim => ({
  sender: alice,
  receiver: service.address,
  amount: 30n,
  expiration: FAR,
  ...changed,
});

const sign = (claim: Claim, chainId = chain.chainId, oneToN = chain.deployment.oneToNAddress) =>
  signIou(claim.sender, { ...claim, oneToN, chainId });

function send(claim: Claim, signature: Hex) {
  const { sender, receiver, amount, expiration } = claim;
  return chain.send({
    to: chain.deployment.oneToNAddress,
    abi: oneToNAbi,
    functionName: 'claim',
    args: [sender.address, receiver, amount, expiration, signature],
  });
}

const claim = async (changed: Partial<Claim> = {}) =>
  send(claimOf(changed), await sign(claimOf(changed)));

function bulk(claims: readonly Claim[], signatures: readonly Hex[], receivers?: Address[]) {
  return chain.send({
    to: chain.deployment.oneToNAddress,
    abi: oneToNAbi,
    functionName: 'bulkClaim',
    args: [
      claims.map(({ sender }) => sender.address),
      receivers ?? claims.map(({ receiver }) => receiver),
      claims.map(({ amount }) => amount),
      claims.map(({ expiration }) => expiration),
      concat([...signatures]),
    ],
  });
}

describe('an IOU', () => {
  it('moves its amount from the user deposit of the sender to that of the service', async () => {
    const { logs } = done(await claim());
    expect(parseEventLogs({ abi: oneToNAbi, eventName: 'Claimed', logs })).toMatchObject([
      {
        args: {
          sender: alice.address,
          receiver: service.address,
          expiration_block: FAR,
          transferred: 30n,
        },
      },
    ]);
    expect(await userBalance(chain, alice.address)).toBe(70n);
    expect(await userBalance(chain, service.address)).toBe(30n);
  });

  it('is accepted in its expiration block and not in the next', async () => {
    const expiration = (await chain.block()) + 10n;
    const before = await chain.rpc('evm_snapshot');
    await chain.goTo(expiration);
    expect(await claim({ expiration })).toMatchObject({ ok: true, block: expiration });
    await chain.rpc('evm_revert', [before]);
    await chain.goTo(expiration + 1n);
    expect(await claim({ expiration })).toEqual(refused('IOU expired'));
  });

  it('is paid once per receiver, sender and expiration', async () => {
    done(await claim());
    expect(await claim({ amount: 50n })).toEqual(refused('Already settled session'));
    const session = keccak256(
      encodePacked(['address', 'address', 'uint256'], [service.address, alice.address, FAR]),
    );
    const settled = await chain.clients.public.readContract({
      address: chain.deployment.oneToNAddress,
      abi: oneToNAbi,
      functionName: 'settled_sessions',
      args: [session],
    });
    expect(settled).toBe(FAR);
    expect(await claim({ expiration: FAR + 1n })).toMatchObject({ ok: true });
    expect(await claim({ sender: bob })).toMatchObject({ ok: true });
  });

  it('pays what the sender has when that is less', async () => {
    done(await claim({ amount: maxUint256 }));
    expect(await userBalance(chain, service.address)).toBe(100n);
  });

  it('can be claimed again when its first claim paid nothing', async () => {
    done(await claim({ amount: 100n }));
    const later = { expiration: FAR + 1n };
    expect(done(await claim(later)).logs).toEqual([]);
    await depositForUser(chain, alice.address, 105n);
    done(await claim(later));
    expect(await userBalance(chain, service.address)).toBe(105n);
  });

  it('can be claimed by registered services only', async () => {
    const outcome = await claim({ receiver: unregistered.address });
    expect(outcome).toEqual(refused('receiver not registered'));
  });

  it('counts only with the signature of its sender under exactly its fields', async () => {
    const good = claimOf();
    const signature = await sign(good);
    const mismatch = refused('Signature mismatch');
    expect(await send(good, await sign({ ...good, sender: bob }))).toEqual(mismatch);
    expect(await send({ ...good, amount: 31n }, signature)).toEqual(mismatch);
    expect(await send({ ...good, expiration: FAR + 1n }, signature)).toEqual(mismatch);
    expect(await send(good, await sign(good, chain.chainId + 1n))).toEqual(mismatch);
    const elsewhere = await sign(good, chain.chainId, chain.network);
    expect(await send(good, elsewhere)).toEqual(mismatch);
    expect(await send(good, '0x')).toEqual(refused('ECVerify: sig length invalid'));
    expect(await send(good, signature)).toMatchObject({ ok: true });
  });
});

describe('claiming several IOUs at once', () => {
  it('pays all of them', async () => {
    const claims = [claimOf(), claimOf({ sender: bob, amount: 45n })];
    done(await bulk(claims, await Promise.all(claims.map((one) => sign(one)))));
    expect(await userBalance(chain, alice.address)).toBe(70n);
    expect(await userBalance(chain, bob.address)).toBe(55n);
    expect(await userBalance(chain, service.address)).toBe(75n);
  });

  it('is all or nothing', async () => {
    const claims = [claimOf(), claimOf({ sender: bob })];
    const signature = await sign(claimOf());
    expect(await bulk(claims, [signature, signature])).toEqual(refused('Signature mismatch'));
    expect(await userBalance(chain, alice.address)).toBe(100n);
  });

  it('demands lists of equal length, and 65 bytes of signature for each IOU', async () => {
    const claims = [claimOf()];
    const signature = await sign(claimOf());
    expect(await bulk(claims, [signature], [])).toEqual(
      refused('Same number of elements required for all input parameters'),
    );
    const bytes = refused('`signatures` should contain 65 bytes per IOU');
    expect(await bulk(claims, [signature, '0x00'])).toEqual(bytes);
    expect(await bulk(claims, ['0x'])).toEqual(bytes);
    expect(await bulk(claims, [signature])).toMatchObject({ ok: true });
  });
});
