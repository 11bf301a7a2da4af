import { parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { type Chain, done, person, startChain, toNetwork } from './chain.ts';
import * as channel from './channel.ts';
import { NO_SIGNATURE, type Place } from './sign.ts';

const FAR = 10n ** 9n;
const HUGE = 2n ** 255n;

const alice = person(1);
const bob = person(2);
const carol = person(3);

let chain: Chain;
let place: Place;
let snapshot: unknown;

/** Alice deposited 70, Bob 30. */
beforeAll(async () => {
  chain = await startChain();
  place = await channel.open(chain, alice, bob);
  await channel.fundAndDeposit(chain, place, alice, bob, 70n);
  await channel.fundAndDeposit(chain, place, bob, alice, 30n);
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

const refused = (reason: string) => ({ ok: false, reason });

async function withdraw(total: bigint, owner = alice, partner = bob, expiration = FAR) {
  const signed = await channel.consent(place, owner, partner, total, expiration);
  return channel.withdraw(chain, place.id, signed);
}

function cooperate(one: channel.WithdrawArgs, two: channel.WithdrawArgs, id = place.id) {
  const args = [id, one, two] as const;
  return chain.send({ ...toNetwork(chain), functionName: 'cooperativeSettle', args });
}

/** Both consents to end the channel with these totals. */
async function ending(alices: bigint, bobs: bigint, expiration = FAR) {
  return [
    await channel.consent(place, alice, bob, alices, expiration),
    await channel.consent(place, bob, alice, bobs, expiration),
  ] as const;
}

describe('withdrawing', () => {
  it('pays what the total grows by, to the participant, whoever sends it', async () => {
    done(await withdraw(40n));
    const { logs } = done(await withdraw(90n));
    const [event] = parseEventLogs({ abi: tokenNetworkAbi, eventName: 'ChannelWithdraw', logs });
    expect(event?.args).toEqual({
      channel_identifier: place.id,
      participant: alice.address,
      total_withdraw: 90n,
    });
    expect(await channel.balanceOf(chain, alice.address)).toBe(90n);
    expect(await channel.participantInfo(chain, place.id, alice, bob)).toMatchObject({
      deposited: 70n,
      withdrawn: 90n,
    });
  });

  it('takes its arguments in a struct as well', async () => {
    const signed = await channel.consent(place, bob, alice, 100n, FAR);
    const args = [place.id, signed] as const;
    done(await chain.send({ ...toNetwork(chain), functionName: 'setTotalWithdraw2', args }));
    expect(await channel.balanceOf(chain, bob.address)).toBe(100n);
  });

  it('works in the block before the expiration and not in it', async () => {
    const expiration = (await chain.block()) + 10n;
    const signed = await channel.consent(place, alice, bob, 10n, expiration);
    const before = await chain.rpc('evm_snapshot');
    await chain.goTo(expiration - 1n);
    expect(await channel.withdraw(chain, place.id, signed)).toMatchObject({
      block: expiration - 1n,
    });
    await chain.rpc('evm_revert', [before]);
    await chain.goTo(expiration);
    expect(await channel.withdraw(chain, place.id, signed)).toEqual(
      refused('TN/withdraw: expired'),
    );
  });

  it('reaches all that the channel holds and not more', async () => {
    expect(await withdraw(101n)).toEqual(refused('TN/withdraw: withdraw > deposit'));
    done(await withdraw(30n, bob, alice));
    expect(await withdraw(71n)).toEqual(refused('TN/withdraw: withdraw > deposit'));
    expect(await withdraw(2n ** 256n - 1n)).toEqual(refused('TN/withdraw: withdraw > deposit'));
    done(await withdraw(70n));
  });

  it('refuses a total that does not grow', async () => {
    expect(await withdraw(0n)).toEqual(refused('TN/withdraw: total withdraw is zero'));
    done(await withdraw(20n));
    expect(await withdraw(20n)).toEqual(refused('TN/withdraw: amount is zero'));
    expect(await withdraw(19n)).toEqual(refused('panic 17'));
  });

  it('wants both signatures', async () => {
    const good = await channel.consent(place, alice, bob, 10n, FAR);
    const strangers = await channel.consent(place, alice, carol, 10n, FAR);
    const send = (changed: Partial<channel.WithdrawArgs>) =>
      channel.withdraw(chain, place.id, { ...good, ...changed });
    const invalid = refused('TN/withdraw: invalid participant sig');
    expect(await send({ participant_signature: good.partner_signature })).toEqual(invalid);
    expect(await send({ total_withdraw: 11n })).toEqual(invalid);
    expect(await send({ expiration_block: FAR + 1n })).toEqual(invalid);
    expect(await send({ partner_signature: strangers.partner_signature })).toEqual(
      refused('TN/withdraw: channel id mismatch'),
    );
    expect(await send({ partner_signature: good.participant_signature })).toEqual(
      refused('TN: identical addresses'),
    );
    expect(await send({ partner_signature: NO_SIGNATURE })).toEqual(
      refused('ECVerify: invalid signature'),
    );
    expect(await send({ partner_signature: '0x' })).toEqual(
      refused('ECVerify: sig length invalid'),
    );
  });

  it.each([
    ['0 or 1', (v: number) => v - 27],
    ['27 or 28', (v: number) => v],
  ])('accepts signatures that end in %s', async (_text, change) => {
    const signed = await channel.consent(place, alice, bob, 10n, FAR);
    const rewritten = (signature: `0x${string}`): `0x${string}` => {
      const v = change(Number.parseInt(signature.slice(-2), 16));
      return `0x${signature.slice(2, -2)}${v.toString(16).padStart(2, '0')}`;
    };
    const outcome = await channel.withdraw(chain, place.id, {
      ...signed,
      participant_signature: rewritten(signed.participant_signature),
      partner_signature: rewritten(signed.partner_signature),
    });
    expect(outcome).toMatchObject({ ok: true });
  });

  it.each(['02', '1a', '1d', 'ff'])('refuses a signature that ends in 0x%s', async (v) => {
    const signed = await channel.consent(place, alice, bob, 10n, FAR);
    const participant_signature: `0x${string}` = `0x${signed.participant_signature.slice(2, -2)}${v}`;
    const outcome = await channel.withdraw(chain, place.id, { ...signed, participant_signature });
    expect(outcome).toMatchObject({ ok: false });
  });

  it('is refused when the channel is closed', async () => {
    const evidence = await channel.closeEvidence(place, alice, bob);
    done(await channel.close(chain, place.id, alice, bob, evidence));
    expect(await withdraw(10n)).toEqual(refused('TN/withdraw: channel not open'));
  });

  it('and depositing store amounts of any size without touching each other’s', async () => {
    const big = await channel.open(chain, alice, carol);
    await channel.fundAndDeposit(chain, big, alice, carol, HUGE);
    const carols = { deposited: 0n, withdrawn: 0n };
    const expectStored = async () => {
      const stored = await channel.participantInfo(chain, big.id, carol, alice);
      expect(stored).toMatchObject(carols);
      const partner = await channel.participantInfo(chain, big.id, alice, carol);
      expect(partner).toMatchObject({ deposited: HUGE, withdrawn: 0n });
    };
    for (const total of [1n, 2n ** 127n - 1n, 2n ** 127n, 2n ** 127n + 1n, 2n ** 128n, HUGE]) {
      const signed = await channel.consent(big, carol, alice, total, FAR);
      done(await channel.withdraw(chain, big.id, signed));
      carols.withdrawn = total;
      await expectStored();
    }
    for (const total of [1n, 2n ** 128n - 1n, 2n ** 128n, 2n ** 128n + 1n]) {
      await channel.fundAndDeposit(chain, big, carol, alice, total);
      carols.deposited = total;
      await expectStored();
    }
  });

  it('and depositing store amounts around 2^128 exactly', async () => {
    const big = await channel.open(chain, alice, carol);
    for (const total of [2n ** 128n - 1n, 2n ** 128n]) {
      await channel.fundAndDeposit(chain, big, alice, carol, total);
      const signed = await channel.consent(big, alice, carol, total / 2n, FAR);
      done(await channel.withdraw(chain, big.id, signed));
      const stored = await channel.participantInfo(chain, big.id, alice, carol);
      expect(stored).toMatchObject({ deposited: total, withdrawn: total / 2n });
    }
  });

  it('leaves no room for deposits whose sum would overflow', async () => {
    const big = await channel.open(chain, alice, carol);
    await channel.fundAndDeposit(chain, big, alice, carol, HUGE);
    const all = await channel.consent(big, alice, carol, HUGE, FAR);
    done(await channel.withdraw(chain, big.id, all));
    const approve = { functionName: 'approve', args: [chain.network, HUGE] } as const;
    done(
      await chain.send({ to: chain.token, abi: customTokenAbi, from: alice.address, ...approve }),
    );
    const forCarol = (total: bigint) =>
      chain.send({
        ...toNetwork(chain),
        from: alice.address,
        functionName: 'setTotalDeposit',
        args: [big.id, carol.address, total, alice.address],
      });
    expect(await forCarol(HUGE)).toEqual(refused('TN/deposit: deposit overflow'));
    expect(await forCarol(HUGE - 1n)).toMatchObject({ ok: true });
  });
});

describe('a cooperative settlement', () => {
  it('pays the totals less what was withdrawn, and removes the channel', async () => {
    done(await withdraw(25n));
    const { logs } = done(await cooperate(...(await ending(60n, 40n))));
    const events = parseEventLogs({ abi: tokenNetworkAbi, logs });
    expect(events.map(({ eventName }) => eventName)).toEqual([
      'ChannelWithdraw',
      'ChannelWithdraw',
      'ChannelSettled',
    ]);
    const none = `0x${'00'.repeat(32)}`;
    expect(events[2]?.args).toEqual({
      channel_identifier: place.id,
      participant1: alice.address,
      participant1_amount: 60n,
      participant1_locksroot: none,
      participant2: bob.address,
      participant2_amount: 40n,
      participant2_locksroot: none,
    });
    expect(await channel.balanceOf(chain, alice.address)).toBe(60n);
    expect(await channel.balanceOf(chain, bob.address)).toBe(40n);
    expect(await channel.info(chain, place.id, alice, bob)).toEqual([0n, 4]);
    const fresh = await channel.open(chain, bob, alice);
    expect(fresh.id).toBe(place.id + 1n);
    expect(await channel.participantInfo(chain, fresh.id, alice, bob)).toMatchObject({
      deposited: 0n,
      withdrawn: 0n,
    });
  });

  it.each([
    [60n, 39n],
    [60n, 41n],
    [101n, 0n],
    [2n ** 256n - 1n, 101n],
  ])('refuses totals of %i and %i where 100 were deposited', async (alices, bobs) => {
    const outcome = await cooperate(...(await ending(alices, bobs)));
    expect(outcome).toEqual(refused('TN/coopSettle: incomplete amounts'));
  });

  it('needs no signature for a side that gets nothing', async () => {
    const [alices, bobs] = await ending(100n, 0n);
    const unsigned = { ...bobs, participant_signature: '0x', partner_signature: '0x' } as const;
    const { logs } = done(await cooperate(alices, unsigned));
    const withdraws = parseEventLogs({ abi: tokenNetworkAbi, eventName: 'ChannelWithdraw', logs });
    expect(withdraws.map(({ args }) => args.participant)).toEqual([alice.address]);
    expect(await channel.balanceOf(chain, alice.address)).toBe(100n);
  });

  it('needs every signature for a side that gets something', async () => {
    const [alices, bobs] = await ending(60n, 40n);
    const byCarol = await channel.consent(place, bob, carol, 40n, FAR);
    const { partner_signature } = byCarol;
    expect(await cooperate(alices, { ...bobs, partner_signature })).toEqual(
      refused('TN/coopSettle: invalid partner signature'),
    );
    const participant_signature = alices.participant_signature;
    expect(await cooperate(alices, { ...bobs, participant_signature })).toEqual(
      refused('TN/withdraw: invalid participant sig'),
    );
  });

  it('works in the block before the expiration and not in it', async () => {
    const expiration = (await chain.block()) + 10n;
    const inputs = await ending(60n, 40n, expiration);
    const before = await chain.rpc('evm_snapshot');
    await chain.goTo(expiration - 1n);
    expect(await cooperate(...inputs)).toMatchObject({ ok: true });
    await chain.rpc('evm_revert', [before]);
    await chain.goTo(expiration);
    expect(await cooperate(...inputs)).toEqual(refused('TN/withdraw: expired'));
  });

  it('is refused when a side has withdrawn its final total already', async () => {
    done(await withdraw(60n));
    const outcome = await cooperate(...(await ending(60n, 40n)));
    expect(outcome).toEqual(refused('TN/withdraw: amount is zero'));
  });

  it('is refused when a side has withdrawn more than its final total', async () => {
    done(await withdraw(61n));
    expect(await cooperate(...(await ending(60n, 40n)))).toEqual(refused('panic 17'));
    expect(await cooperate(...(await ending(0n, 100n)))).toEqual(refused('panic 17'));
  });

  it('is refused for another channel and for a closed one', async () => {
    const inputs = await ending(60n, 40n);
    expect(await cooperate(...inputs, place.id + 1n)).toEqual(
      refused('TN/coopSettle: channel id mismatch'),
    );
    const evidence = await channel.closeEvidence(place, alice, bob);
    done(await channel.close(chain, place.id, alice, bob, evidence));
    expect(await cooperate(...inputs)).toEqual(refused('TN/coopSettle: channel not open'));
  });

  it('of a channel without deposits still needs the signatures', async () => {
    const empty = await channel.open(chain, alice, carol);
    const one = await channel.consent(empty, alice, carol, 0n, FAR);
    const two = await channel.consent(empty, carol, alice, 0n, FAR);
    const forged = { ...one, partner_signature: NO_SIGNATURE };
    expect(await cooperate(forged, two, empty.id)).toEqual(refused('ECVerify: invalid signature'));
    const byBob = await channel.consent(empty, alice, bob, 0n, FAR);
    expect(await cooperate(byBob, two, empty.id)).toEqual(
      refused('TN/coopSettle: invalid partner signature'),
    );
    expect(await cooperate(one, two, empty.id)).toMatchObject({ ok: true });
  });
});
