import { describe, expect, it } from 'vitest';
import { openChannel, type PlayedChannel } from '../../support/channel-makers.ts';
import { join, leave, openingKeys, partnerDeposit } from '../../support/connection-makers.ts';
import {
  CHANNEL,
  closed,
  deposited,
  NETWORK,
  NOW,
  OWN,
  PARTNER,
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

/** Joined with 100, a share of 20, and nobody there: all of it is free. */
const joined = tokenNetwork().tell(join({ candidates: [] }));
const contextOf = ({ snapshot }: PlayedNetwork) => snapshot.context;
const freeOf = (network: PlayedNetwork) => contextOf(network).connection?.free;
const keyOf = (network: PlayedNetwork) => effectOf(network, 'tx.deposit').key;
/** What is put into the channel: the new total, and what is added to it. */
const answered = (network: PlayedNetwork) =>
  effectsOf(network, 'tx.deposit').map(({ totalDeposit, added }) => [totalDeposit, added]);

describe('a deposit of a partner in a channel that it opened after the join', () => {
  it('is matched out of the free funds', () => {
    const network = joined.tell(partnerDeposit());
    expect(effectOf(network, 'tx.deposit')).toMatchObject({
      from: NETWORK_ACTOR,
      deadlineBlock: null,
      tokenNetwork: NETWORK,
      channelId: 1n,
      partner: PARTNER,
      token: TOKEN,
      totalDeposit: 10n,
      added: 10n,
    });
    expect(freeOf(network)).toBe(90n);
  });

  it.each<[string, Parameters<typeof partnerDeposit>[0], [bigint, bigint][]]>([
    ['with one share at most', { partnerDeposit: 21n }, [[20n, 20n]]],
    ['less what is there already', { ownDeposit: 4n }, [[10n, 6n]]],
    ['not when there is enough', { ownDeposit: 10n }, []],
    ['with a tenth of a share', { partnerDeposit: 2n }, [[2n, 2n]]],
    ['not when it is so little that the gas is worth more', { partnerDeposit: 1n }, []],
    ['not when it has grown by so little', { ownDeposit: 9n }, []],
    ['not when the channel is older than the join', { openBlock: NOW }, []],
  ])('is matched %s', (_, parts, expected) => {
    expect(answered(joined.tell(partnerDeposit(parts)))).toEqual(expected);
  });

  it('is matched until the funds are spent', () => {
    let network = tokenNetwork().tell(join({ funds: 5n, candidates: [] }));
    for (let n = 1; n <= 5; n++) {
      network = network.tell(partnerDeposit({ channel: `${CHANNEL}${n}`, partnerDeposit: 9n }));
      expect(answered(network)).toEqual([[1n, 1n]]);
      network = network.tell(txDone(keyOf(network)));
    }
    expect(freeOf(network)).toBe(0n);
    expect(answered(network.tell(partnerDeposit({ channel: `${CHANNEL}6` })))).toEqual([]);
  });

  it('is matched with what is left', () => {
    const funds = tokenNetwork().tell(join({ funds: 29n, candidates: [PARTNER] }));
    expect(freeOf(funds)).toBe(24n);
    const spent = [1, 2, 3, 4].reduce(
      (network, n) => network.tell(partnerDeposit({ channel: `${CHANNEL}${n}` })),
      funds,
    );
    expect(freeOf(spent)).toBe(4n);
    expect(answered(spent.tell(partnerDeposit({ channel: `${CHANNEL}5` })))).toEqual([[4n, 4n]]);
  });

  it('is matched with the very last unit, however little that is', () => {
    const spent = [20n, 20n, 20n, 20n, 19n].reduce(
      (network, amount, n) =>
        network.tell(partnerDeposit({ channel: `${CHANNEL}${n}`, partnerDeposit: amount })),
      joined,
    );
    expect(freeOf(spent)).toBe(1n);
    expect(answered(spent.tell(partnerDeposit({ channel: `${CHANNEL}5` })))).toEqual([[1n, 1n]]);
  });

  it('is matched by a job of its own, which ends without those of other channels', () => {
    const first = joined.tell(partnerDeposit());
    const both = first.tell(partnerDeposit({ channel: `${CHANNEL}2`, partnerDeposit: 20n }));
    expect(keyOf(both)).not.toBe(keyOf(first));
    expect(freeOf(both)).toBe(70n);
    const failed = both.tell(txFailed(keyOf(both)));
    expect(freeOf(failed)).toBe(90n);
    expect(contextOf(failed).matches).toEqual(contextOf(first).matches);
  });

  it('is noted for its own channel alone while matches are on their way', () => {
    const first = joined.tell(partnerDeposit());
    const both = first.tell(partnerDeposit({ channel: `${CHANNEL}2` }));
    const more = both.tell(partnerDeposit({ partnerDeposit: 15n }));
    expect(more.effects).toEqual([]);
    expect(contextOf(more).matches.map(({ offer }) => offer?.channel)).toEqual([
      CHANNEL,
      undefined,
    ]);
    expect(more.tell(txDone(keyOf(both))).effects).toMatchObject([
      { to: `${CHANNEL}2`, event: { type: 'actor.funded', added: 10n } },
    ]);
    expect(answered(more.tell(txDone(keyOf(first))))).toEqual([[15n, 5n]]);
  });

  it('leaves its share of the funds free again when the match fails', () => {
    const matching = joined.tell(partnerDeposit({ partnerDeposit: 20n }));
    expect(freeOf(matching)).toBe(80n);
    const failed = matching.tell(txFailed(keyOf(matching)));
    expect(failed.effects).toEqual([]);
    expect(freeOf(failed)).toBe(100n);
    expect(contextOf(failed).matches).toEqual([]);
  });

  it('gives nothing back to a later join when its match fails', () => {
    const matching = joined.tell(partnerDeposit());
    const later = matching.tell(join({ requestId: 'later', funds: 50n, candidates: [] }));
    expect(freeOf(later.tell(txFailed(keyOf(matching))))).toBe(50n);
    const left = matching.tell(leave());
    expect(contextOf(left.tell(txFailed(keyOf(matching)))).connection).toBeNull();
  });

  it('waits for the match before it, and adds to that', () => {
    const matching = joined.tell(partnerDeposit());
    const again = matching.tell(partnerDeposit({ partnerDeposit: 15n }));
    expect(again.effects).toEqual([]);
    expect(answered(again.tell(txDone(keyOf(matching))))).toEqual([[15n, 5n]]);
    expect(answered(again.tell(txFailed(keyOf(matching))))).toEqual([[15n, 15n]]);
  });

  it('is matched less what a person has put into the channel meanwhile', () => {
    const matching = joined.tell(partnerDeposit());
    const again = matching.tell(partnerDeposit({ partnerDeposit: 20n, ownDeposit: 15n }));
    expect(answered(again.tell(txDone(keyOf(matching))))).toEqual([[20n, 5n]]);
  });

  it('reserves the tokens of its match, so that the next join cannot use them', () => {
    const matching = joined.tell(partnerDeposit());
    const next = (ownTokens: bigint) =>
      matching.tell(join({ requestId: 'next', candidates: [], limits: { ownTokens } })).effects;
    expect(next(109n)).toMatchObject([{ code: 'insufficient_balance' }]);
    expect(next(110n)).toMatchObject([{ type: 'reply.ok' }]);
  });

  it('is not matched when nothing was joined, or the token was left', () => {
    expect(tokenNetwork().tell(partnerDeposit()).effects).toEqual([]);
    expect(joined.tell(leave()).tell(partnerDeposit()).effects).toEqual([]);
  });
});

describe('a deposit of a partner in a channel that this node opened', () => {
  const opening = joined.tell(command.open());
  const [key = ''] = openingKeys(opening);
  const spawned = opening.tell(channelOpened());

  it('is not matched', () => {
    expect(spawned.tell(txDone(key)).tell(partnerDeposit()).effects).toEqual([]);
    expect(spawned.tell(partnerDeposit()).tell(txDone(key)).effects).toMatchObject([
      { type: 'reply.ok', requestId: 'open' },
    ]);
  });

  it('is noted for its own opening alone, as long as that is on its way', () => {
    const both = opening.tell(command.open({ partner: STRANGER, requestId: 'other' }));
    const noted = both.tell(channelOpened()).tell(partnerDeposit());
    expect(noted.effects).toEqual([]);
    expect(contextOf(noted).openings.map(({ offer }) => offer?.channel)).toEqual([
      CHANNEL,
      undefined,
    ]);
  });

  it('is matched when the partner opened the channel first', () => {
    const lost = spawned.tell(partnerDeposit()).tell(txFailed(key));
    expect(lost.effects).toMatchObject([
      { type: 'reply.error', requestId: 'open' },
      { type: 'tx.deposit', totalDeposit: 10n },
    ]);
  });

  it('is not matched when the join itself opened it', () => {
    const joining = tokenNetwork().tell(join());
    const [first = ''] = openingKeys(joining);
    const done = joining.tell(channelOpened(), txDone(first));
    const offer = { ownDeposit: 5n, partnerDeposit: 20n };
    expect(done.tell(partnerDeposit(offer)).effects).toEqual([]);
  });
});

describe('an open channel', () => {
  const told = (channel: PlayedChannel) => effectsOf(channel, 'notify');

  it('tells the token network what its partner deposits', () => {
    expect(told(openChannel().tell(deposited(PARTNER, 130n)))).toEqual([
      {
        type: 'notify',
        to: NETWORK_ACTOR,
        event: {
          type: 'actor.partnerDeposit',
          offer: {
            channel: CHANNEL,
            channelId: 1n,
            partner: PARTNER,
            openBlock: 10n,
            ownDeposit: 100n,
            partnerDeposit: 130n,
          },
        },
      },
    ]);
  });

  it('tells nothing of its own deposits, or once it is being closed', () => {
    expect(told(openChannel().tell(deposited(OWN, 130n)))).toEqual([]);
    expect(told(openChannel().tell(command.close()).tell(deposited(PARTNER, 130n)))).toEqual([]);
    expect(told(openChannel().tell(closed(PARTNER)).tell(deposited(PARTNER, 130n)))).toEqual([]);
  });
});
