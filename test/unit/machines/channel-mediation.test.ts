import { describe, expect, it } from 'vitest';
import { ZERO_HASH } from '../../../src/basics/hex.ts';
import { MAX_PENDING_LOCKS } from '../../../src/protocol/channel/lock.ts';
import { secrethashOf } from '../../../src/protocol/hash.ts';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  addLock,
  changeIn,
  FREE,
  openChannel,
  type PlayedChannel,
  partnersChannel,
  partnersLock,
  received,
  secretRegistered,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import { factOf } from '../../support/fact.ts';
import {
  at,
  CHANNEL,
  CONFIRMATIONS,
  closed,
  EXPIRATION,
  hashOf,
  NOW,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  SETTLE_TIMEOUT,
  STRANGER,
  settled,
  settledProof,
  unlocked,
} from '../../support/makers.ts';
import { forwardLock, PAYEE, payerSide } from '../../support/mediation-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const ROUTE = routesMetadata([PARTNER, OWN, PAYEE, STRANGER]);

/** What the channel makes of a transfer of PARTNER for somebody else. */
function passing(parts: Parameters<typeof partnersLock>[0] = {}) {
  const sent = partnersChannel({}).tell(
    partnersLock({ target: STRANGER, metadata: ROUTE, ...parts }),
  );
  return openChannel().tell(received(sent, { fees: FREE }));
}

describe('a transfer for somebody else', () => {
  it('becomes the task of a mediator, with what it needs of the payer', () => {
    const { input } = effectOf(passing(), 'spawn.mediator');
    expect(input).toMatchObject({
      amount: 10n,
      expiration: EXPIRATION,
      metadata: ROUTE,
      hops: [PAYEE],
      payer: { channel: CHANNEL, partner: PARTNER, balance: 100n, receivable: 100n },
    });
  });

  it('gets a fee that counts earlier pending transfers when fees are not capped', () => {
    const send = (n: number) => partnersLock({ n, target: STRANGER, metadata: ROUTE });
    const first = partnersChannel({}).tell(send(1));
    const second = first.tell(send(2));
    const balanceWith = (capFees: boolean) => {
      const fees = { ...FREE, capFees };
      const both = openChannel().tell(received(first, { fees }), received(second, { fees }));
      return effectsOf(both, 'spawn.mediator').map(({ input }) => input.payer.balance);
    };
    expect(balanceWith(true)).toEqual([100n, 100n]);
    expect(balanceWith(false)).toEqual([100n, 110n]);
  });

  it('is acknowledged before its mediator is spawned', () => {
    const types = passing().effects.map(({ type }) => type);
    expect(types).toEqual(['record.proof', 'send.processed', 'spawn.mediator']);
  });

  it.each([
    ['whose route ends here', routesMetadata([PARTNER, OWN])],
    ['whose route leads back to the payer', routesMetadata([PARTNER, OWN, PARTNER])],
    ['with an empty route', routesMetadata([])],
  ])('%s is held until it expires', (_, metadata) => {
    const held = passing({ metadata });
    expect(effectsOf(held, 'spawn.mediator')).toEqual([]);
    expect(effectOf(held, 'spawn.keeper').input).toMatchObject({
      channel: CHANNEL,
      side: 'partner',
      secrethash: hashOf(1),
      amount: 10n,
      expiration: EXPIRATION,
      isUnexplained: false,
      transfer: { role: 'mediator', initiator: PARTNER, target: STRANGER, paymentId: 1n },
    });
    expect(held.snapshot.context.partnerEnd.locked).toBe(10n);
  });

  it('without routes goes to the target itself', () => {
    const held = passing({ metadata: '{}' });
    expect(effectOf(held, 'spawn.mediator').input.hops).toEqual([STRANGER]);
  });

  // R12: a secret that everybody knows protects nobody.
  it('that is locked with the zero secret is held until it expires', () => {
    const secrethash = secrethashOf(ZERO_HASH);
    const held = passing({ secrethash });
    expect(effectsOf(held, 'spawn.mediator')).toEqual([]);
    expect(effectOf(held, 'spawn.keeper').input).toMatchObject({ secrethash, amount: 10n });
  });
});

describe('a channel that is asked to pass a transfer on', () => {
  it('signs a lock with the same secrethash, expiration, parties and metadata', () => {
    const asked = openChannel().tell(forwardLock());
    const { message } = effectOf(asked, 'send.message');
    expect(changeIn(message, 'lock')).toMatchObject({
      type: 'lock',
      lock: { amount: 10n, expiration: EXPIRATION, secrethash: hashOf(1) },
      paymentId: 1n,
      initiator: PARTNER,
      target: STRANGER,
      recipient: PARTNER,
      metadata: ROUTE,
    });
    expect(effectOf(asked, 'notify').event).toMatchObject({
      type: 'actor.lockForwarded',
      channel: CHANNEL,
      amount: 10n,
    });
  });

  it('signs nothing while the node forwards nothing', () => {
    const asked = openChannel().tell(forwardLock({ refusal: 'insufficient_gas' }));
    expect(effectOf(asked, 'notify').event).toMatchObject({
      type: 'actor.lockRefused',
      code: 'insufficient_gas',
    });
    expect(asked.snapshot.context.ownEnd.nonce).toBe(0n);
  });

  it('keeps its fee, and passes on more than it received only when fees are not capped', () => {
    const fees = { ...FREE, flat: 4n };
    const { context } = openChannel().tell(forwardLock({ fees })).snapshot;
    expect(context.ownEnd.locked).toBe(6n);
    const swayed = { ...FREE, imbalance: 50_000n };
    const far = openChannel({ deposit: 200n, partnerDeposit: 0n }).tell(
      forwardLock({ fees: swayed, payer: payerSide({ channel: 'x', balance: 0n }) }),
    );
    expect(far.snapshot.context.ownEnd.locked).toBe(10n);
    const uncapped = openChannel({ deposit: 200n, partnerDeposit: 0n }).tell(
      forwardLock({
        fees: { ...swayed, capFees: false },
        payer: payerSide({ channel: 'x', balance: 0n }),
      }),
    );
    expect(uncapped.snapshot.context.ownEnd.locked).toBeGreaterThan(10n);
  });

  it('pays once for a transfer that brings its balance to the middle, however many do so at once', () => {
    const fees = { ...FREE, imbalance: 50_000n, capFees: false };
    const payer = payerSide({ channel: 'x', balance: 60n, receivable: 140n });
    const ask = (n: number) =>
      forwardLock({ fees, payer, amountIn: 80n, secrethash: hashOf(n), from: `mediator:${n}` });
    const { ownEnd } = openChannel({ deposit: 200n, partnerDeposit: 0n }).tell(ask(1), ask(2))
      .snapshot.context;
    expect(ownEnd.locks).toHaveLength(2);
    expect(ownEnd.locks[0]?.amount).toBeGreaterThan(80n);
    expect(ownEnd.locks[1]?.amount).toBeLessThan(80n);
  });

  const full = Array.from({ length: MAX_PENDING_LOCKS }, (_, n) =>
    addLock({ n: n + 2, amount: 1n }),
  );
  it.each<[string, () => PlayedChannel]>([
    ['is the payer’s', () => openChannel().tell(forwardLock({ payer: payerSide() }))],
    ['is too small', () => openChannel({ deposit: 9n }).tell(forwardLock())],
    [
      'has nothing left but what it has locked',
      () => openChannel().tell(addLock({ n: 2, amount: 91n }), forwardLock()),
    ],
    [
      'would keep all of it',
      () => openChannel().tell(forwardLock({ fees: { ...FREE, flat: 20n } })),
    ],
    ['has a lock of the same secrethash', () => openChannel().tell(addLock(), forwardLock())],
    ['has a lock of the partner with it', () => withPartnersLock().ours.tell(forwardLock())],
    [
      'has no time left',
      () => openChannel().tell(forwardLock({ expiration: NOW + REVEAL_TIMEOUT })),
    ],
    [
      'could be settled before',
      () => openChannel().tell(forwardLock({ expiration: NOW + SETTLE_TIMEOUT + 1n })),
    ],
    ['has 160 locks pending', () => openChannel({ deposit: 1_000n }).tell(...full, forwardLock())],
    ['is closed', () => openChannel().tell(closed(PARTNER), forwardLock())],
  ])('that %s refuses and signs nothing', (_, ask) => {
    const state = ask();
    const last = effectsOf(state, 'notify').at(-1);
    expect(last?.event.type).toBe('actor.lockRefused');
    const changes = effectsOf(state, 'send.message').flatMap(({ message }) =>
      message.type === 'Update' ? message.changes : [],
    );
    const forOthers = changes.filter(({ type, ...rest }) => factOf(rest, 'target') === STRANGER);
    expect(forOthers).toEqual([]);
  });
});

describe('the end of a channel', () => {
  const told = (state: PlayedChannel) =>
    effectsOf(state, 'notify')
      .filter(({ to }) => to.startsWith('mediator:'))
      .map(({ to, event }) => [to, event.type]);
  const both = withPartnersLock().ours.tell(addLock({ n: 2 }));

  it('is told to the mediators of both sides’ locks', () => {
    expect(told(both.tell(closed(PARTNER)))).toEqual([
      [`mediator:${hashOf(2)}`, 'actor.channelClosed'],
      [`mediator:${hashOf(1)}`, 'actor.channelClosed'],
    ]);
  });

  it('is told with what became of their locks when it is settled', () => {
    const gone = both.tell(closed(PARTNER)).tell(at(EXPIRATION + CONFIRMATIONS, settled()));
    expect(told(gone)).toEqual([
      [`mediator:${hashOf(1)}`, 'actor.lockGone'],
      [`mediator:${hashOf(2)}`, 'actor.ownLockGone'],
    ]);
    const locksroot = hashOf(8);
    const partner = settledProof({ locked: 10n, claimable: 10n, paid: [hashOf(1)] });
    const claiming = both
      .tell(secretRegistered(), closed(PARTNER))
      .tell(settled({ partnerRoot: locksroot, partner }));
    expect(told(claiming.tell(unlocked(PARTNER)))).toContainEqual([
      `mediator:${hashOf(1)}`,
      'actor.unlocked',
    ]);
  });
});
