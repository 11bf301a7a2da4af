import { describe, expect, it } from 'vitest';
import { FAULT_POINTS } from '../../src/node/fault.ts';
import { withdrawDigest } from '../../src/protocol/withdraw.ts';
import type { Action, Settings, Who } from './actions.ts';
import { channelOf, isBusy, must } from './checks.ts';
import { CHAIN_ID, NETWORK } from './contract.ts';
import { signerOf } from './crypto.ts';
import { FREE } from './plans.ts';
import { finish, newWorld, play, tickUntil } from './runs.ts';
import { WEALTH, type World } from './world.ts';

const CALM: Settings = {
  seed: 1,
  revealTimeouts: [14, 14],
  settleTimeout: 30,
  deposits: [[100, 100]],
};
const CHANNEL = 1n;
/** Three nodes: the second passes on what the first pays the third. */
const LINE: Settings = {
  ...CALM,
  revealTimeouts: [14, 14, 14],
  deposits: [
    [100, 100],
    [100, 100],
  ],
  fees: { ...FREE, flat: 2n },
};
const ON_CHANNEL = { chainId: CHAIN_ID, tokenNetwork: NETWORK, channelId: CHANNEL };
const CRASHES = FAULT_POINTS.filter((point) => !point.startsWith('transaction.'));
const pay = (by: Who, amount: number): Action => ({ do: 'pay', by, amount, blocks: 0 });
const withdraw = (by: Who, amount: number): Action => ({ do: 'withdraw', by, amount });
const flow = (parcels = 100): Action => ({ do: 'flow', parcels });
const mine = (blocks: number): Action => ({ do: 'mine', blocks });
const wait: Action = { do: 'wait', seconds: 60 };
const silence = (by: Who, blocks: number): Action => ({ do: 'silence', by, blocks });

const recordsOf = ({ endOf }: World, who: Who) =>
  endOf(who)
    .disk.payments()
    .map(({ type, amount }) => `${type.slice('record.payment'.length)} ${amount}`);
const answersOf = ({ endOf }: World, who: Who) => endOf(who).replies.map(({ type }) => type);

/** Blocks, repeats and deliveries in turn, so that whoever died comes back and goes on. */
const goOn = (times: number): Action[] =>
  Array.from({ length: times }, () => [mine(1), wait, flow()]).flat();

const SHORT: Record<string, Action[]> = {
  'a payment': [pay(0, 5), flow(), ...goOn(4)],
  'a withdraw': [withdraw(0, 30), flow(), ...goOn(5)],
  'payments both ways at once': [pay(0, 5), pay(1, 3), pay(0, 1), flow(), ...goOn(4)],
};
/** A block is a commit too, so these have more points than can be walked through for each kind of crash. */
const LONG: Record<string, Action[]> = {
  'a payment that runs out': [silence(1, 60), pay(0, 5), flow(), ...goOn(33)],
  'a withdraw that runs out': [withdraw(0, 30), silence(1, 60), flow(), ...goOn(33)],
  'a payment that is claimed on chain': [
    ...[pay(0, 5), flow(4), silence(0, 60), wait],
    ...[flow(), ...goOn(33)],
  ],
  'a close and a settlement': [pay(0, 5), flow(), { do: 'close', by: 0 }, ...goOn(38)],
  'a close with an old proof': [
    ...[pay(0, 5), pay(1, 5), flow(), pay(0, 7), pay(1, 7), flow(), mine(1)],
    ...[{ do: 'cheat', by: 0, age: 1 } as const, ...goOn(38)],
  ],
};

/** What an initiator does that falls silent as soon as the mediator has paid on. */
function silentAfterwards(blocks: number): Action[] {
  const world = newWorld(LINE);
  world.act(pay(0, 5));
  const hasPaid = () => channelOf(world.endOf(1), 2n)?.channel.ownEnd.transferred === 5n;
  let parcels = 0;
  for (; !hasPaid(); parcels += 1) {
    must(parcels < 100, 'the mediator pays on');
    world.act(flow(1));
  }
  return [pay(0, 5), flow(parcels), silence(0, blocks), wait, flow()];
}

/** Lets one end die at the n-th time that it comes to a point; false when it never does so. */
function dies(
  story: readonly Action[],
  by: Who,
  point: string,
  left: number,
  settings: Settings,
): boolean {
  const world = newWorld(settings);
  world.act({ do: 'arm', by, point, left });
  play(world, story);
  const died = world.endOf(by).crashes.length > 0;
  finish(world);
  return died;
}

/** How often somebody died, walking through every time that one of the nodes comes to one of the points. */
function deathsIn(story: readonly Action[], points: readonly string[], settings = CALM): number {
  let deaths = 0;
  for (const point of points)
    for (const by of settings.revealTimeouts.keys())
      for (let left = 1; dies(story, by, point, left, settings); left += 1) deaths += 1;
  return deaths;
}

describe('a process that dies at any point', () => {
  it.each(Object.entries(SHORT))('loses nothing in %s', (_, story) => {
    expect(deathsIn(story, CRASHES)).toBeGreaterThan(50);
  });

  it.each(Object.entries(LONG))('loses nothing in %s', (_, story) => {
    expect(deathsIn(story, ['commit.after', 'job.after'])).toBeGreaterThan(50);
  });

  it('loses nothing in a mediated payment, whichever of the three it is', () => {
    expect(deathsIn([pay(0, 5), flow(), ...goOn(4)], CRASHES, LINE)).toBeGreaterThan(100);
  });

  it('loses nothing in a mediated payment that is claimed on chain', () => {
    const story = [...silentAfterwards(60), ...goOn(33)];
    expect(deathsIn(story, ['job.after'], LINE)).toBeGreaterThan(0);
  });
});

describe('a mediator', () => {
  const mediatorAt = ({ endOf }: World) => endOf(1).disk.mediations().length;

  it('that paid the target is paid on chain by an initiator that stays silent', () => {
    const world = newWorld(LINE);
    play(world, [...silentAfterwards(200), ...goOn(35)]);
    expect(world.chain.logsIn(0n, world.chain.head()).map(({ type }) => type)).toContain(
      'chain.secretRevealed',
    );
    finish(world);
    expect(mediatorAt(world)).toBe(1);
    expect(recordsOf(world, 2)).toEqual(['Received 5']);
  });

  it('pays no gas for a secret of a transfer that did not go on', () => {
    const world = newWorld({
      ...LINE,
      deposits: [
        [100, 100],
        [1, 100],
      ],
    });
    play(world, [pay(0, 50), flow(), ...goOn(40)]);
    finish(world);
    expect(recordsOf(world, 0)).toEqual(['Failed 50']);
    expect(world.chain.logsIn(0n, world.chain.head()).map(({ type }) => type)).not.toContain(
      'chain.secretRevealed',
    );
  });
});

describe('a secrethash that locks twice in one payload', () => {
  const twice = (by: Who): Action[] => [{ do: 'twin', by, amount: 40 }, pay(by, 5), flow()];

  it.each([
    ['a mediator', LINE, 1],
    ['a target', CALM, 1],
  ] as const)('is no second payment of %s, also when it dies over it', (_, settings, victim) => {
    const world = newWorld(settings);
    play(world, twice(0));
    expect(world.twins().size).toBe(1);
    const [kept] = channelOf(world.endOf(victim), CHANNEL)?.channel.partnerEnd.locks ?? [];
    expect(kept?.amount).toBe(40n);
    expect(channelOf(world.endOf(1), 2n)?.channel.ownEnd.locks ?? []).toEqual([]);
    world.act({ do: 'arm', by: victim, point: 'commit.after', left: 1 });
    play(world, goOn(40));
    expect(recordsOf(world, 0)).toEqual(['Sent 5']);
    finish(world);
  });
});

describe('a mediator whose endpoint is frozen', () => {
  /** Blocks that it does not see; the payer's lock ends before it sees any again. */
  const LONG_FREEZE = 20;
  const frozen: Action[] = [{ do: 'freeze', by: 1, blocks: LONG_FREEZE }, mine(5)];

  it('passes nothing on, so that a payer who stays silent costs it nothing', () => {
    const world = newWorld(LINE);
    const short: Action = { do: 'pay', by: 0, amount: 5, blocks: 15 };
    play(world, [...frozen, short, flow(), wait, flow()]);
    expect(channelOf(world.endOf(1), 1n)?.channel.partnerEnd.locks).toEqual([]);
    expect(channelOf(world.endOf(1), 2n)?.channel.ownEnd).toMatchObject({ nonce: 0n, locks: [] });
    play(world, [silence(0, 60), ...goOn(35)]);
    finish(world);
  });

  it('makes no payment of its own, and does again when it sees the chain', () => {
    const world = newWorld(LINE);
    const order: Action = { do: 'pay', by: 1, to: 2, amount: 5, blocks: 0 };
    play(world, [...frozen, order, flow()]);
    expect(world.endOf(1).replies.at(-1)).toMatchObject({ code: 'chain_unavailable' });
    play(world, [...goOn(LONG_FREEZE), order, flow(), ...goOn(2)]);
    expect(recordsOf(world, 1)).toEqual(['Failed 5', 'Sent 5']);
    finish(world);
  });
});

describe('a payment', () => {
  it('that is asked for twice at the same time is made once', () => {
    const world = newWorld(CALM);
    world.act(pay(0, 5));
    world.again(0);
    play(world, [flow(), ...goOn(5)]);
    finish(world);
    expect(recordsOf(world, 0)).toEqual(['Sent 5']);
    expect(recordsOf(world, 1)).toEqual(['Received 5']);
  });

  it('to a silent partner is answered when its lock has run out', () => {
    const world = newWorld(CALM);
    play(world, [silence(1, 1000), pay(0, 5), flow()]);
    expect(answersOf(world, 0)).toEqual(['reply.ok']);
    play(world, goOn(40));
    expect(answersOf(world, 0)).toEqual(['reply.ok', 'reply.error']);
    expect(recordsOf(world, 0)).toEqual(['Failed 5']);
    finish(world);
  });

  it('whose partner was away until long after its lock leaves the channel usable', () => {
    const world = newWorld(CALM);
    play(world, [pay(0, 5), flow(1), silence(1, 80), ...goOn(80), pay(0, 7), ...goOn(5)]);
    expect(recordsOf(world, 0)).toEqual(['Failed 5', 'Sent 7']);
    expect(recordsOf(world, 1)).toEqual(['Received 7']);
    finish(world);
  });

  it('whose payer goes silent after the secret is claimed on chain and unlocked later', () => {
    const world = newWorld(CALM);
    // It is back before the channel would be closed for it, which is another model's.
    play(world, [pay(0, 5), flow(4), silence(0, 40), wait, flow(), ...goOn(80)]);
    expect(world.chain.logsIn(0n, world.chain.head()).map(({ type }) => type)).toContain(
      'chain.secretRevealed',
    );
    tickUntil(world, () => !world.ends.some((end) => isBusy(world, end)), 'the payment ends');
    expect(recordsOf(world, 0)).toEqual(['Sent 5']);
    expect(recordsOf(world, 1)).toEqual(['Received 5']);
    expect(world.chain.contract(CHANNEL).state()).toBe('opened');
    finish(world);
  });

  it('is on record once although every message comes many times', () => {
    const world = newWorld(CALM);
    const twice: Action[] = Array.from({ length: 60 }, (_, index) => [
      { do: 'double', index } as const,
      { do: 'replay', index } as const,
      flow(2),
    ]).flat();
    play(world, [pay(0, 5), flow(1), ...twice, flow(), ...goOn(5)]);
    finish(world);
    expect(recordsOf(world, 0)).toEqual(['Sent 5']);
    expect(recordsOf(world, 1)).toEqual(['Received 5']);
  });
});

describe('a withdraw', () => {
  const channelAt = ({ endOf }: World, who: Who) => channelOf(endOf(who), CHANNEL)?.channel;
  const numbers = { nonce: 1, messageId: 0 };

  it('is made although somebody rewrites its numbers, and costs no payment', () => {
    const world = newWorld(CALM);
    play(world, [
      ...[pay(1, 5), withdraw(0, 30)],
      ...Array.from({ length: 40 }, (_, index): Action[] => [
        { do: 'forge', index, ...numbers, messageId: index },
        { do: 'replay', index },
        flow(1),
      ]).flat(),
      ...[wait, flow(), ...goOn(6)],
    ]);
    expect(answersOf(world, 0)).toEqual(['reply.ok', 'reply.ok']);
    expect(recordsOf(world, 1)).toEqual(['Sent 5']);
    expect(channelAt(world, 0)?.ownEnd).toMatchObject({ withdrawn: 30n, withdraws: [] });
    expect(channelAt(world, 1)?.partnerEnd).toMatchObject({ withdrawn: 30n, withdraws: [] });
    finish(world);
  });

  it('to a partner that was away until long after it leaves the channel usable', () => {
    const world = newWorld(CALM);
    play(world, [silence(1, 80), withdraw(0, 30), flow(), ...goOn(80)]);
    expect(answersOf(world, 0)).toEqual(['reply.ok', 'reply.error']);
    play(world, [wait, flow(), pay(0, 100), flow(), ...goOn(5)]);
    expect(recordsOf(world, 1)).toEqual(['Received 100']);
    finish(world);
  });

  it('of both sides at once is made for both', () => {
    const world = newWorld(CALM);
    play(world, [withdraw(0, 30), withdraw(1, 100), flow(), ...goOn(6)]);
    expect(channelAt(world, 0)?.ownEnd.withdrawn).toBe(30n);
    expect(channelAt(world, 0)?.partnerEnd.withdrawn).toBe(100n);
    expect(world.chain.wealthOf(world.endOf(1).own)).toBe(WEALTH);
    finish(world);
  });

  it('that the partner brings on chain itself is a success', () => {
    const world = newWorld(CALM);
    play(world, [{ do: 'doom', by: 0 }, withdraw(0, 30), flow()]);
    const [asked, agreed] = world.consents;
    if (asked === undefined || agreed === undefined) throw new Error('nobody has agreed');
    const { totalWithdraw, expiration, by } = agreed;
    const signed = { channelId: CHANNEL, totalWithdraw, expiration };
    const digest = withdrawDigest({ ...agreed, ...ON_CHANNEL });
    const partnerSignature = signerOf(by)(digest);
    const call = { type: 'withdraw', ...signed, partnerSignature } as const;
    world.chain.submit('partner', { from: asked.by, call, delay: 1n, isDoomed: false });
    play(world, goOn(6));
    expect(answersOf(world, 0)).toEqual(['reply.ok', 'reply.ok']);
    finish(world);
  });
});

describe('a partner that closes with an old proof', () => {
  it('is answered with one update, also when the other end dies over it', () => {
    const world = newWorld(CALM);
    play(world, [pay(0, 5), pay(1, 5), flow(), pay(1, 7), flow(), mine(1)]);
    world.act({ do: 'cheat', by: 0, age: 0 });
    world.act({ do: 'arm', by: 1, point: 'job.after', left: 1 });
    play(world, goOn(20));
    const updates = world.chain
      .logsIn(0n, world.chain.head())
      .filter(({ type }) => type === 'chain.proofUpdated');
    expect(updates).toHaveLength(1);
    finish(world);
  });
});
