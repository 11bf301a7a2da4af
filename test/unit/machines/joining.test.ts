import { describe, expect, it } from 'vitest';
import { channelActorId } from '../../../machines/base/actor-ids.ts';
import type { Stamped } from '../../../machines/events/stamps.ts';
import { type Address, ZERO_ADDRESS } from '../../../src/basics/hex.ts';
import type { ChannelLog } from '../../../src/contracts/channel-events.ts';
import { closeOf, join, leave, openingKeys } from '../../support/connection-makers.ts';
import {
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
  type PlayedNetwork,
  tokenNetwork,
} from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const THIRD: Address = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const FOURTH: Address = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const three = { candidates: [PARTNER, STRANGER, THIRD] };

const partnersOf = (network: PlayedNetwork) =>
  effectsOf(network, 'tx.openChannel').map(({ partner }) => partner);
const contextOf = ({ snapshot }: PlayedNetwork) => snapshot.context;
const freeOf = (network: PlayedNetwork) => contextOf(network).connection?.free;

/** The opening of the nth channel, with the nth of the peers. */
function appeared(n: number): Stamped<Extract<ChannelLog, { type: 'chain.channelOpened' }>> {
  const participant2 = [PARTNER, STRANGER, THIRD][n] ?? PARTNER;
  return { ...channelOpened({ participant2 }), channelId: BigInt(n + 1) };
}
const channel = (n: number) => channelActorId({ tokenNetwork: NETWORK, channelId: BigInt(n + 1) });

/** A join with three peers, and the keys of its openings. */
function joining() {
  const network = tokenNetwork().tell(join(three));
  const [first = '', second = '', third = ''] = openingKeys(network);
  return { network, first, second, third };
}

describe('a join', () => {
  it('opens channels with three peers and a fifth of the funds in each', () => {
    const network = tokenNetwork().tell(join({ candidates: [...three.candidates, FOURTH] }));
    expect(partnersOf(network)).toEqual(three.candidates);
    for (const opening of effectsOf(network, 'tx.openChannel'))
      expect(opening).toMatchObject({
        from: NETWORK_ACTOR,
        token: TOKEN,
        tokenNetwork: NETWORK,
        settleTimeout: SETTLE_TIMEOUT,
        totalDeposit: 20n,
      });
    expect(new Set(openingKeys(network)).size).toBe(3);
    expect(freeOf(network)).toBe(40n);
    expect(network.snapshot.value).toEqual({ registered: 'joining' });
  });

  it.each<[string, Parameters<typeof join>[0], readonly Address[], bigint]>([
    ['takes fewer when there are fewer', { candidates: [STRANGER] }, [STRANGER], 80n],
    ['divides by whole units', { funds: 104n, ...three }, three.candidates, 44n],
    [
      'counts a channel that holds a share',
      { deposits: [19n, 20n], ...three },
      [PARTNER, STRANGER],
      60n,
    ],
    ['needs no more than three', { deposits: [20n, 20n, 20n, 90n], ...three }, [], 100n],
    ['never takes itself or nobody', { candidates: [OWN, ZERO_ADDRESS, THIRD] }, [THIRD], 80n],
  ])('%s', (_, parts, partners, free) => {
    const network = tokenNetwork().tell(join(parts));
    expect(partnersOf(network)).toEqual(partners);
    expect(freeOf(network)).toBe(free);
  });

  it('leaves out a peer with whom a channel is being opened', () => {
    const network = tokenNetwork().tell(command.open(), join(three));
    expect(partnersOf(network)).toEqual([PARTNER, STRANGER, THIRD]);
    expect(effectsOf(network, 'tx.openChannel').map(({ totalDeposit }) => totalDeposit)).toEqual([
      0n,
      20n,
      20n,
    ]);
  });

  it('is answered at once with nothing when nobody is there, and keeps all its funds', () => {
    const network = tokenNetwork().tell(join({ candidates: [] }));
    expect(network.effects).toEqual([
      { type: 'reply.ok', requestId: 'join', value: { kind: 'joined', channels: [] } },
    ]);
    expect(network.snapshot.value).toEqual({ registered: 'idle' });
    expect(contextOf(network).connection).toMatchObject({ share: 20n, free: 100n, own: [] });
  });

  it('is answered with its channels when the last opening has ended', () => {
    const { network, first, second, third } = joining();
    const two = network.tell(appeared(0), appeared(2), txDone(third), txDone(first));
    expect(two.effects).toMatchObject([
      { type: 'spawn.channel' },
      { type: 'spawn.channel' },
      { to: channel(2), event: { type: 'actor.funded' } },
      { to: channel(0), event: { type: 'actor.funded' } },
    ]);
    const done = two.tell(appeared(1), txDone(second));
    expect(effectOf(done, 'reply.ok')).toEqual({
      type: 'reply.ok',
      requestId: 'join',
      value: { kind: 'joined', channels: [channel(2), channel(0), channel(1)] },
    });
    expect(freeOf(done)).toBe(40n);
    expect(contextOf(done)).toMatchObject({ join: null, openings: [] });
    expect(done.snapshot.value).toEqual({ registered: 'idle' });
  });

  it('is answered before an opening has ended that somebody else asked for', () => {
    const network = tokenNetwork()
      .tell(command.open({ partner: STRANGER }))
      .tell(join());
    const [key = ''] = openingKeys(network);
    const done = network.tell(appeared(0), txDone(key));
    expect(effectsOf(done, 'reply.ok')).toMatchObject([{ requestId: 'join' }]);
    expect(contextOf(done).openings).toHaveLength(1);
  });

  it('is not spoilt by a peer whose opening fails, whose share is free again', () => {
    const { network, first, second, third } = joining();
    const done = network.tell(
      appeared(0),
      txFailed(second),
      txDone(first),
      txFailed(third, 'insufficient_gas'),
    );
    expect(done.effects.at(-1)).toEqual({
      type: 'reply.ok',
      requestId: 'join',
      value: { kind: 'joined', channels: [channel(0)] },
    });
    expect(freeOf(done)).toBe(80n);
  });

  it('fails like its first opening when all of them fail, and keeps no funds', () => {
    const { network, first, second, third } = joining();
    const failed = network.tell(
      txFailed(second, 'insufficient_gas'),
      txFailed(first),
      txFailed(third),
    );
    expect(failed.effects).toEqual([
      { type: 'reply.error', requestId: 'join', code: 'insufficient_gas', detail: 'why' },
    ]);
    expect(contextOf(failed)).toMatchObject({ join: null, connection: null });
  });

  it('replaces the funds that an earlier join has left', () => {
    const { network, first, second, third } = joining();
    const joined = network
      .tell(appeared(0), txDone(first), txFailed(second), txFailed(third))
      .tell(join({ requestId: 'next', funds: 50n, candidates: [] }));
    expect(contextOf(joined).connection).toMatchObject({ share: 10n, free: 50n });
  });

  it('asked for again with the same funds waits for the same answer', () => {
    const { network, first, second, third } = joining();
    const again = network.tell(join({ requestId: 'again', candidates: [FOURTH] }));
    expect(again.effects).toEqual([]);
    const done = again.tell(txFailed(first), txFailed(second), appeared(2), txDone(third));
    const value = { kind: 'joined', channels: [channel(2)] };
    expect(effectsOf(done, 'reply.ok')).toEqual([
      { type: 'reply.ok', requestId: 'join', value },
      { type: 'reply.ok', requestId: 'again', value },
    ]);
  });
});

describe('a join is refused', () => {
  const advice: Record<string, RegExp> = {
    invalid_amount: /funds must be from 5/,
    invalid_timeout: /reveal_timeout must be at least 7, .* from 20 to 500/,
    above_limit: /a fifth of the funds/,
    insufficient_balance: /fewer free tokens/,
    insufficient_gas: /gas of the openings/,
  };

  it.each<[string, Parameters<typeof join>[0], string]>([
    ['without funds', { funds: 0n }, 'invalid_amount'],
    ['with less than a unit for each channel', { funds: 4n }, 'invalid_amount'],
    ['with more than a contract can count', { funds: 2n ** 256n }, 'invalid_amount'],
    ['with all that a contract can count', { funds: 2n ** 256n - 1n }, 'above_limit'],
    ['when the reveal timeout does not fit', { revealTimeout: 6n }, 'invalid_timeout'],
    ['when the settle timeout does not fit', { settleTimeout: 501n }, 'invalid_timeout'],
    [
      'with a share above what a participant may deposit',
      { limits: { participantLimit: 19n }, candidates: [] },
      'above_limit',
    ],
    ['when the network does not take its shares', { limits: { networkRoom: 19n } }, 'above_limit'],
    ['with more than there is', { limits: { ownTokens: 99n } }, 'insufficient_balance'],
    ['when its openings cannot be paid', { gas: { money: 9n } }, 'insufficient_gas'],
  ])('%s', (_, parts, code) => {
    const refused = tokenNetwork().tell(join(parts));
    expect(refused.effects).toMatchObject([{ type: 'reply.error', requestId: 'join', code }]);
    expect(effectOf(refused, 'reply.error').detail).toMatch(advice[code] ?? 'none');
    expect(contextOf(refused)).toEqual(contextOf(tokenNetwork()));
  });

  it.each<[string, Parameters<typeof join>[0]]>([
    ['a share at the limit', { limits: { participantLimit: 20n, networkRoom: 20n } }],
    ['all tokens there are', { limits: { ownTokens: 100n } }],
    ['just enough gas', { gas: { money: 10n } }],
    ['no gas when nothing is opened', { gas: { money: 0n }, candidates: [] }],
    ['any timeouts when nothing is opened', { revealTimeout: 1n, candidates: [] }],
  ])('but not with %s', (_, parts) => {
    expect(effectsOf(tokenNetwork().tell(join(parts)), 'reply.error')).toEqual([]);
  });

  it('with tokens that an opening has been promised', () => {
    const network = tokenNetwork().tell(command.open({ partner: STRANGER, totalDeposit: 101n }));
    expect(network.tell(join()).effects).toMatchObject([{ code: 'insufficient_balance' }]);
    const [key = ''] = openingKeys(network);
    expect(openingKeys(network.tell(txFailed(key), join()))).toHaveLength(1);
  });

  it('while another is on its way', () => {
    const { network } = joining();
    const refused = network.tell(join({ requestId: 'other', funds: 99n }));
    expect(refused.effects).toMatchObject([
      { type: 'reply.error', requestId: 'other', code: 'busy' },
    ]);
    expect(effectOf(refused, 'reply.error').detail).toMatch(/joined with other funds/);
  });

  it.each([
    ['is being registered', tokenNetwork({ tokenNetwork: null, requestId: 'first' })],
    [
      'could not be registered',
      tokenNetwork({ tokenNetwork: null, requestId: 'first' }).tell(
        txFailed(`register:${NETWORK_ACTOR}:0`),
      ),
    ],
  ])('when the token %s', (_, network) => {
    expect(network.tell(join()).effects).toMatchObject([
      {
        type: 'reply.error',
        requestId: 'join',
        code: 'token_not_registered',
        detail: 'Register it first.',
      },
    ]);
    expect(network.tell(leave()).effects).toMatchObject([
      { type: 'reply.error', requestId: 'leave', code: 'unknown_token', detail: '' },
    ]);
  });
});

describe('a leave during a join', () => {
  it('closes what the join opens, and answers the join nevertheless', () => {
    const { network, first, second, third } = joining();
    const leaving = network.tell(leave());
    expect(leaving.snapshot.value).toEqual({ registered: 'leaving' });
    const after = leaving.tell(txFailed(first), txFailed(second), appeared(2), txDone(third));
    expect(effectsOf(after, 'notify')).toMatchObject([
      { to: channel(2), event: { type: 'actor.funded', added: 20n } },
      closeOf(channel(2)),
    ]);
    expect(effectsOf(after, 'reply.ok')).toMatchObject([
      { requestId: 'join', value: { kind: 'joined', channels: [channel(2)] } },
    ]);
    expect(contextOf(after)).toMatchObject({ join: null, connection: null });
    expect(after.snapshot.value).toEqual({ registered: 'leaving' });
  });

  it('is over when all openings fail', () => {
    const { network, first, second, third } = joining();
    const after = network.tell(leave(), txFailed(first), txFailed(second), txFailed(third));
    expect(effectsOf(after, 'reply.error')).toMatchObject([{ requestId: 'join' }]);
    expect(effectsOf(after, 'reply.ok')).toMatchObject([
      { requestId: 'leave', value: { kind: 'left', channels: [] } },
    ]);
    expect(after.snapshot.value).toEqual({ registered: 'idle' });
  });
});

it('a join counts from the block that is the newest when it is asked for', () => {
  expect(contextOf(tokenNetwork().tell(join())).connection?.sinceBlock).toBe(NOW);
});
