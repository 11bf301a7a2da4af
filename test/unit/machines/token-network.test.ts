import { describe, expect, it } from 'vitest';
import { ZERO_ADDRESS } from '../../../src/basics/hex.ts';
import { leave } from '../../support/connection-makers.ts';
import {
  CHANNEL,
  CONFIRMATIONS,
  NETWORK,
  NOW,
  OWN,
  PARTNER,
  SETTLE_TIMEOUT,
  STRANGER,
  TOKEN,
  txDone,
  txFailed,
} from '../../support/makers.ts';
import {
  channelOpened,
  command,
  NETWORK_ACTOR,
  tokenNetwork,
  tokenNetworkCreated,
} from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const registering = tokenNetwork({ tokenNetwork: null, requestId: 'first' });
const { key: registration } = effectOf(registering, 'tx.registerToken');
const opening = tokenNetwork().tell(command.open({ totalDeposit: 50n }));
const { key: openJob } = effectOf(opening, 'tx.openChannel');

/** What a refused opening says, for each code. */
const ADVICE: Record<string, RegExp> = {
  invalid_partner: /this node itself, or the zero address/,
  channel_exists: /Deposit into it/,
  insufficient_gas: /gas that protects another channel/,
  invalid_timeout: /reveal_timeout must be at least 7, .* from 20 to 500/,
  above_limit: /deposit/,
  insufficient_balance: /token/,
};

describe('a token', () => {
  it('is registered by a transaction', () => {
    expect(registering.effects).toEqual([
      {
        type: 'tx.registerToken',
        from: NETWORK_ACTOR,
        key: registration,
        deadlineBlock: null,
        token: TOKEN,
      },
    ]);
  });

  it('has its network when the creation is confirmed, and the caller learns it', () => {
    const known = registering.tell(tokenNetworkCreated);
    expect(known.snapshot.value).toEqual({ registered: 'idle' });
    expect(known.snapshot.context).toMatchObject({ tokenNetwork: NETWORK, requestId: null });
    expect(known.effects).toEqual([
      {
        type: 'reply.ok',
        requestId: 'first',
        value: { kind: 'tokenNetwork', tokenNetwork: NETWORK },
      },
    ]);
    expect(known.tell(txDone(registration)).effects).toEqual([]);
  });

  it('that somebody else registered needs no transaction and no answer', () => {
    expect(tokenNetwork().effects).toEqual([]);
    expect(tokenNetwork().snapshot.value).toEqual({ registered: 'idle' });
  });

  it('can be registered again after a failure, by a job of its own', () => {
    const failed = registering.tell(txFailed(registration, 'insufficient_gas'));
    expect(failed.snapshot.value).toBe('unregistered');
    expect(failed.effects).toEqual([
      { type: 'reply.error', requestId: 'first', code: 'insufficient_gas', detail: 'why' },
    ]);
    expect(failed.snapshot.context.requestId).toBeNull();
    const again = failed.tell(command.registerToken('second'));
    expect(effectOf(again, 'tx.registerToken').key).not.toBe(registration);
    expect(again.snapshot.context.jobs).toBeGreaterThan(failed.snapshot.context.jobs);
    expect(effectOf(again.tell(tokenNetworkCreated), 'reply.ok').requestId).toBe('second');
  });

  it('whose registration failed is known once somebody else has registered it', () => {
    const failed = registering.tell(txFailed(registration));
    const known = failed.tell(tokenNetworkCreated);
    expect(known.snapshot.value).toEqual({ registered: 'idle' });
    expect(known.effects).toEqual([]);
  });

  it.each([
    ['while it is being registered', registering, 'busy', /wait for it/],
    ['when it has a network', tokenNetwork(), 'token_registered', /has a token network/],
  ])('is not registered %s', (_, network, code, advice) => {
    const refused = network.tell(command.registerToken('second'));
    expect(refused.effects).toMatchObject([{ type: 'reply.error', requestId: 'second', code }]);
    expect(effectOf(refused, 'reply.error').detail).toMatch(advice);
  });
});

describe('opening a channel', () => {
  it('is a transaction with the whole deposit', () => {
    expect(effectOf(opening, 'tx.openChannel')).toEqual({
      type: 'tx.openChannel',
      from: NETWORK_ACTOR,
      key: openJob,
      deadlineBlock: null,
      token: TOKEN,
      tokenNetwork: NETWORK,
      partner: PARTNER,
      settleTimeout: SETTLE_TIMEOUT,
      totalDeposit: 50n,
    });
  });

  it('is answered when its transaction has ended, with the channel that appeared', () => {
    const spawned = opening.tell(channelOpened());
    expect(effectsOf(spawned, 'reply.ok')).toEqual([]);
    const done = spawned.tell(txDone(openJob));
    expect(done.effects).toEqual([
      { type: 'notify', to: CHANNEL, event: { type: 'actor.funded', added: 50n } },
      { type: 'reply.ok', requestId: 'open', value: { kind: 'channel', channel: CHANNEL } },
    ]);
    expect(done.snapshot.context.openings).toEqual([]);
  });

  it('is a state of its own until the last of them has ended', () => {
    const both = opening.tell(command.open({ partner: STRANGER, requestId: 'other' }));
    const { key } = effectOf(both, 'tx.openChannel');
    expect(both.snapshot.value).toEqual({ registered: 'opening' });
    const one = both.tell(txFailed(key));
    expect(one.snapshot.value).toEqual({ registered: 'opening' });
    expect(one.tell(txFailed(openJob)).snapshot.value).toEqual({ registered: 'idle' });
    const left = opening.tell(leave());
    expect(left.snapshot.value).toEqual({ registered: 'leaving' });
  });

  it('is answered with the failure of its transaction', () => {
    const failed = opening.tell(txFailed(openJob, 'insufficient_gas'));
    expect(failed.effects).toMatchObject([
      { type: 'reply.error', requestId: 'open', code: 'insufficient_gas' },
    ]);
    expect(effectsOf(failed.tell(command.open()), 'tx.openChannel')).toHaveLength(1);
  });

  it('fails when its transaction has opened no channel', () => {
    expect(opening.tell(txDone(openJob)).effects).toEqual([
      {
        type: 'reply.error',
        requestId: 'open',
        code: 'transaction_failed',
        detail: 'The channel did not appear on chain.',
      },
    ]);
  });

  it('with several partners at once answers each with its own', () => {
    const both = opening.tell(command.open({ partner: STRANGER, requestId: 'other' }));
    const { key } = effectOf(both, 'tx.openChannel');
    expect(key).not.toBe(openJob);
    // The number of a join comes from the same count, and must never come again.
    expect(both.snapshot.context.jobs).toBeGreaterThan(opening.snapshot.context.jobs);
    const failed = both.tell(txFailed(key));
    expect(effectOf(failed, 'reply.error').requestId).toBe('other');
    const done = failed.tell(channelOpened(), txDone(openJob));
    expect(effectOf(done, 'reply.ok').requestId).toBe('open');
  });

  it.each<[string, Parameters<typeof command.open>[0], string]>([
    ['oneself', { partner: OWN }, 'invalid_partner'],
    ['the zero address', { partner: ZERO_ADDRESS }, 'invalid_partner'],
    ['a partner who has one', { hasChannel: true }, 'channel_exists'],
    ['an account without money for its gas', { canPayGas: false }, 'insufficient_gas'],
    ['a reveal timeout below the least', { revealTimeout: 6n }, 'invalid_timeout'],
    [
      'less than two reveal timeouts',
      { settleTimeout: 21n, revealTimeout: 11n },
      'invalid_timeout',
    ],
    [
      'a settle timeout below the contract’s',
      { settleTimeout: 19n, revealTimeout: 9n },
      'invalid_timeout',
    ],
    ['a settle timeout above the contract’s', { settleTimeout: 501n }, 'invalid_timeout'],
    [
      'more than a participant may',
      { totalDeposit: 101n, limits: { participantLimit: 100n } },
      'above_limit',
    ],
    [
      'more than the network takes',
      { totalDeposit: 101n, limits: { networkRoom: 100n } },
      'above_limit',
    ],
    ['more tokens than there are', { totalDeposit: 201n }, 'insufficient_balance'],
  ])('is refused with %s', (_, parts, code) => {
    const refused = tokenNetwork().tell(command.open(parts));
    expect(refused.effects).toMatchObject([{ type: 'reply.error', requestId: 'open', code }]);
    expect(effectOf(refused, 'reply.error').detail).toMatch(ADVICE[code] ?? 'none');
    expect(refused.snapshot.context).toEqual(tokenNetwork().snapshot.context);
  });

  it.each<[string, Parameters<typeof command.open>[0]]>([
    ['the least reveal timeout', { revealTimeout: 7n }],
    ['exactly two reveal timeouts', { settleTimeout: 20n }],
    ['the longest settle timeout', { settleTimeout: 500n }],
    ['every token there is', { totalDeposit: 200n }],
  ])('is allowed with %s', (_, parts) => {
    expect(effectsOf(tokenNetwork().tell(command.open(parts)), 'tx.openChannel')).toHaveLength(1);
  });

  it('is refused while one with the same partner is on its way', () => {
    const refused = opening.tell(command.open({ requestId: 'second' }));
    expect(refused.effects).toMatchObject([
      { type: 'reply.error', requestId: 'second', code: 'busy' },
    ]);
    expect(effectOf(refused, 'reply.error').detail).toMatch(/being opened/);
  });

  it.each([
    ['while the token is being registered', registering],
    ['when its registration failed', registering.tell(txFailed(registration))],
  ])('is refused %s', (_, network) => {
    expect(network.tell(command.open()).effects).toMatchObject([
      {
        type: 'reply.error',
        requestId: 'open',
        code: 'token_not_registered',
        detail: 'Register it first.',
      },
    ]);
  });
});

describe('the settings of a new process', () => {
  it('apply to channels that appear after its start', () => {
    const settings = { confirmations: 2n, defaultRevealTimeout: 4n, minRevealTimeout: 2n };
    const told = tokenNetwork().tell({ type: 'actor.settings', settings, nowBlock: NOW });
    expect(effectOf(told.tell(channelOpened()), 'spawn.channel').input).toMatchObject({
      confirmations: 2n,
      revealTimeout: 4n,
      minRevealTimeout: 2n,
    });
  });
});

describe('a channel that appears on chain', () => {
  it('is spawned with the reveal timeout that was asked for', () => {
    expect(effectOf(opening.tell(channelOpened()), 'spawn.channel')).toMatchObject({
      id: CHANNEL,
      input: {
        own: OWN,
        partner: PARTNER,
        channelId: 1n,
        settleTimeout: SETTLE_TIMEOUT,
        revealTimeout: 10n,
        isRevealChosen: true,
        confirmations: CONFIRMATIONS,
        openBlock: NOW,
      },
    });
  });

  it.each([
    ['first', { participant1: PARTNER, participant2: OWN }],
    ['second', { participant1: OWN, participant2: PARTNER }],
  ])('and was opened with the partner %s is spawned with the default', (_, pair) => {
    expect(effectOf(tokenNetwork().tell(channelOpened(pair)), 'spawn.channel').input).toMatchObject(
      {
        own: OWN,
        partner: PARTNER,
        revealTimeout: 9n,
      },
    );
  });

  it.each([18n, 17n, 3n])(
    'keeps the reveal timeout of this node with a settle timeout of %d',
    (settleTimeout) => {
      const appeared = tokenNetwork().tell({ ...channelOpened(), settleTimeout });
      const { input } = effectOf(appeared, 'spawn.channel');
      expect(input).toMatchObject({ revealTimeout: 9n, isRevealChosen: false });
    },
  );

  it('between others is none of ours', () => {
    const pair = { participant1: STRANGER, participant2: PARTNER };
    expect(tokenNetwork().tell(channelOpened(pair)).effects).toEqual([]);
  });
});
