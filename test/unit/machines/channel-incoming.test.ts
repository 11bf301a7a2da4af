import { describe, expect, it } from 'vitest';
import { keeperId, keeperInstead } from '../../../machines/keeper/keeping.ts';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import { toHex } from '../../../src/basics/hex.ts';
import { balanceHash } from '../../../src/protocol/channel/balance-proof.ts';
import { encodeLock, locksroot, NO_LOCKS_ROOT } from '../../../src/protocol/channel/lock.ts';
import { additionalHash } from '../../../src/protocol/messages/message-hash.ts';
import type { Update } from '../../../src/protocol/messages/update.ts';
import {
  type AnyChange,
  addLock,
  type ChannelParts,
  changeAltered,
  expireLock,
  type Incoming,
  openChannel,
  type PlayedChannel,
  partnersChannel,
  partnersLock,
  received,
  secretRegistered,
  unlock,
  withEnds,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import {
  at,
  CHANNEL,
  CONFIRMATIONS,
  closed,
  EXPIRATION,
  hashOf,
  NETWORK,
  NOW,
  OWN,
  PARTNER,
  SIGNATURE,
  STRANGER,
  TOKEN,
} from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const KEEPER = keeperId(CHANNEL, 'partner', hashOf(1));
const context = ({ snapshot }: PlayedChannel) => snapshot.context;
const lock = { amount: 10n, expiration: EXPIRATION, secrethash: hashOf(1) };

/** The event with other fields in its message, and in its change. */
function altered(event: Incoming, fields: Partial<Update>, change: AnyChange = {}): Incoming {
  const changed = changeAltered(event, change);
  return { ...changed, message: { ...changed.message, ...fields } };
}

function expectIgnored(channel: PlayedChannel, event: Incoming): void {
  expectUnchanged(channel, event, []);
}
/** It changes nothing, and only the node itself hears of it. */
function expectRefused(channel: PlayedChannel, event: Incoming): void {
  expectUnchanged(channel, event, [
    { type: 'report.refused', reason: expect.any(String), change: expect.toBeOneOf([null, 1]) },
  ]);
}
function expectUnchanged(channel: PlayedChannel, event: Incoming, effects: unknown): void {
  const after = channel.tell(event);
  expect(after.effects).toEqual(effects);
  expect(after.snapshot.value).toEqual(channel.snapshot.value);
  expect(context(after)).toEqual(context(channel));
}

describe('a transfer of the partner', () => {
  const theirs = partnersChannel({}).tell(partnersLock());
  const transfer = received(theirs);
  const ours = openChannel().tell(transfer);

  it('is held, and nothing asked for it, while the node takes no locks', () => {
    const { taken } = effectOf(ours, 'judge.lock');
    expect(context(ours).partnerEnd).toEqual(context(theirs).ownEnd);
    expect(keeperInstead(taken)).toMatchObject({ type: 'spawn.keeper', id: KEEPER, input: lock });
    expect(taken).toMatchObject({ type: 'spawn.target', id: `target:${hashOf(1)}` });
  });

  it('is taken into the partner’s side and acknowledged, its proof kept', () => {
    expect(context(ours).partnerEnd).toEqual(context(theirs).ownEnd);
    const { message } = transfer;
    const proof = {
      nonce: 1n,
      balanceHash: balanceHash(message),
      additionalHash: additionalHash(message),
      signature: SIGNATURE,
    };
    expect(context(ours).partnerProof).toEqual(proof);
    expect(ours.effects).toMatchObject([
      {
        type: 'record.proof',
        side: 'partner',
        ...proof,
        lockedAmount: 10n,
        locksroot: locksroot([lock]),
        changes: [{ kind: 'add', lock: toHex(encodeLock(lock)), secrethash: hashOf(1) }],
      },
      { type: 'send.processed', to: PARTNER, messageId: 7n },
      {
        type: 'judge.lock',
        taken: { input: { channel: CHANNEL, ...lock } },
      },
    ]);
  });

  it('for somebody else that cannot go on is held by a keeper', () => {
    const passing = partnersChannel({}).tell(partnersLock({ target: STRANGER }));
    const held = openChannel().tell(received(passing));
    expect(context(held).partnerEnd.locks).toEqual([lock]);
    const types = held.effects.map(({ type }) => type);
    expect(types).toEqual(['record.proof', 'send.processed', 'spawn.keeper']);
  });

  it('that has expired on its way is taken all the same', () => {
    const late = openChannel().tell(at(EXPIRATION + 50n, transfer));
    expect(context(late).partnerEnd.locks).toEqual([lock]);
    expect(effectOf(late, 'judge.lock').taken.input.nowBlock).toBe(EXPIRATION + 50n);
  });

  it('may lock what was paid to the partner before', () => {
    const paid = openChannel().tell(addLock({ n: 5, amount: 100n }));
    const paidFor = partnersChannel({}).tell(received(paid, { sender: OWN }));
    const [poor, rich] = [paid.tell(unlock(5)), paidFor];
    const richer = rich.tell(received(poor, { sender: OWN })).tell(partnersLock({ amount: 200n }));
    expect(context(poor.tell(received(richer))).partnerEnd.locked).toBe(200n);
  });

  it('may fill the 160th place, and not one more', () => {
    let theirs = partnersChannel({ partnerDeposit: 1_000n });
    let ours = openChannel({ partnerDeposit: 1_000n });
    for (let n = 1; n <= 160; n++) {
      theirs = theirs.tell(partnersLock({ n, amount: 1n }));
      ours = ours.tell(received(theirs));
    }
    expect(context(ours).partnerEnd.locks).toHaveLength(160);
    const { ownEnd } = context(theirs);
    const next = { amount: 1n, expiration: EXPIRATION, secrethash: hashOf(161) };
    const numbers = { lockedAmount: 161n, locksroot: locksroot([...ownEnd.locks, next]) };
    const tooMany = altered(transfer, { nonce: 161n, ...numbers }, { lock: next });
    expectRefused(ours, tooMany);
  });

  /** A right message in all but what the sender may not do. */
  function overdrawn(amount: bigint): Incoming {
    const given = { ...lock, amount };
    const numbers = { lockedAmount: amount, locksroot: locksroot([given]) };
    return altered(transfer, numbers, { lock: given });
  }

  it('may lock all that the partner has, and not one unit more', () => {
    expect(context(openChannel().tell(overdrawn(100n))).partnerEnd.locked).toBe(100n);
    expectRefused(openChannel(), overdrawn(101n));
  });

  it('may not lead beyond 256 bits', () => {
    const transferred = MAX_UINT256 - 10n;
    const sides = { own: { transferred }, partner: { transferred } };
    const worn = withEnds(openChannel(), sides);
    const transferredAmount = transferred;
    const fits = altered(overdrawn(10n), { transferredAmount });
    expect(context(worn.tell(fits)).partnerEnd.locked).toBe(10n);
    expectRefused(worn, altered(overdrawn(11n), { transferredAmount }));
  });

  it.each<[string, Incoming]>([
    ['by a stranger', { ...transfer, sender: STRANGER }],
    ['by this node itself', { ...transfer, sender: OWN }],
    ['for another chain', altered(transfer, { chainId: 2n })],
    ['for another token network', altered(transfer, { tokenNetwork: TOKEN })],
    ['with other transferred tokens', altered(transfer, { transferredAmount: 1n })],
    ['with more locked than its lock', altered(transfer, { lockedAmount: 11n })],
    ['with less locked than its lock', altered(transfer, { lockedAmount: 9n })],
    ['with another locksroot', altered(transfer, { locksroot: NO_LOCKS_ROOT })],
    [
      'whose lock is not the hashed one',
      altered(transfer, {}, { lock: { ...lock, expiration: 1n } }),
    ],
    ['without an amount', altered(overdrawn(0n), {})],
    ['for another recipient', altered(transfer, {}, { recipient: STRANGER })],
    ['of another token', altered(transfer, {}, { token: NETWORK })],
  ])('%s is refused', (_, event) => {
    expectRefused(openChannel(), event);
  });

  it('may leave out nonces, which withdraw messages used', () => {
    const ahead = altered(transfer, { nonce: 7n });
    const channel = openChannel().tell(ahead);
    expect(context(channel).partnerEnd).toEqual({ ...context(ours).partnerEnd, nonce: 7n });
    expect(context(channel).partnerProof?.nonce).toBe(7n);
    expect(effectOf(channel, 'record.proof').nonce).toBe(7n);
    const unlocked = altered(received(theirs.tell(unlock())), { nonce: 9n });
    expect(context(channel.tell(unlocked)).partnerEnd).toMatchObject({ nonce: 9n, locked: 0n });
  });

  it('that follows a lost one changes nothing until that has come; the partner is told what is held', () => {
    const second = received(theirs.tell(partnersLock({ n: 2 })));
    const waiting = openChannel().tell(second);
    expect(waiting.effects).toHaveLength(1);
    expect(effectOf(waiting, 'send.sync').message).toMatchObject({
      acceptedNonce: 0n,
      answer: false,
    });
    expect(context(waiting)).toEqual(context(openChannel()));
    expect(context(ours.tell(second)).partnerEnd.locked).toBe(20n);
  });

  it('with the hash of a pending lock is refused', () => {
    const again = altered(transfer, {
      nonce: 2n,
      lockedAmount: 20n,
      locksroot: locksroot([lock, lock]),
    });
    expectRefused(ours, again);
  });
});

describe('an unlock of the partner', () => {
  const { ours, theirs } = withPartnersLock();
  const paid = theirs.tell(unlock());
  const event = received(paid);

  it('moves the amount to this side and tells the payment', () => {
    const after = ours.tell(event);
    expect(context(after).partnerEnd).toEqual(context(paid).ownEnd);
    expect(context(after).partnerProof?.nonce).toBe(2n);
    expect(after.effects).toMatchObject([
      { type: 'record.proof', side: 'partner', nonce: 2n, changes: [{ kind: 'pay' }] },
      { type: 'send.processed', messageId: 7n },
      { type: 'notify', to: `target:${hashOf(1)}`, event: { type: 'actor.unlocked' } },
      { type: 'notify', to: `mediator:${hashOf(1)}`, event: { type: 'actor.unlocked' } },
      { type: 'notify', to: KEEPER, event: { type: 'actor.unlocked' } },
    ]);
  });

  it('is welcome after the expiration too', () => {
    const late = ours.tell(at(EXPIRATION + 100n, event));
    expect(context(late).partnerEnd.transferred).toBe(10n);
  });

  it('makes the channel forget that the secret was registered', () => {
    expect(context(ours.tell(secretRegistered())).registered).toEqual([hashOf(1)]);
    expect(context(ours.tell(secretRegistered(), event)).registered).toEqual([]);
  });

  it.each<[string, Incoming]>([
    ['by a stranger', { ...event, sender: STRANGER }],
    ['with the secret of no lock', received(withPartnersLock({ n: 2 }).theirs.tell(unlock(2)))],
    ['of less than the lock', altered(event, { transferredAmount: 9n })],
    ['that keeps the amount locked', altered(event, { lockedAmount: 10n })],
    ['that keeps the lock', altered(event, { locksroot: locksroot([lock]) })],
  ])('%s is refused', (_, wrong) => {
    expectRefused(ours, wrong);
  });
});

describe('the partner’s word that a lock has expired', () => {
  const CONFIRMATIONS = 5n;
  const EXPIRATION = NOW + 27n;
  const { ours, theirs } = withPartnersLock({ confirmations: CONFIRMATIONS, revealTimeout: 14n });
  const expired = theirs.tell(expireLock());
  const event = received(expired);
  const FIRST = EXPIRATION + CONFIRMATIONS;

  it.each([EXPIRATION - 1n, EXPIRATION, EXPIRATION + 1n, FIRST - 1n])(
    'is not believed at block %d',
    (block) => {
      expectRefused(ours, at(block, event));
    },
  );

  it.each([
    FIRST,
    FIRST + 1n,
    EXPIRATION + 2n * CONFIRMATIONS - 1n,
    EXPIRATION + 2n * CONFIRMATIONS,
    EXPIRATION + 2n * CONFIRMATIONS + 1n,
  ])('counts at block %d', (block) => {
    const after = ours.tell(at(block, event));
    expect(context(after).partnerEnd).toEqual(context(expired).ownEnd);
    expect(after.effects).toMatchObject([
      { type: 'record.proof', side: 'partner', nonce: 2n, changes: [{ kind: 'expire' }] },
      { type: 'send.processed', messageId: 7n },
      { type: 'notify', to: `target:${hashOf(1)}`, event: { type: 'actor.lockGone' } },
      { type: 'notify', to: `mediator:${hashOf(1)}`, event: { type: 'actor.lockGone' } },
      { type: 'notify', to: KEEPER, event: { type: 'actor.lockGone' } },
    ]);
  });

  it('never counts when the secret was registered in time', () => {
    expectRefused(ours.tell(secretRegistered()), at(FIRST + 100n, event));
  });

  it.each<[string, Incoming]>([
    ['for another recipient', altered(event, {}, { recipient: STRANGER })],
    ['of a lock that is not there', altered(event, {}, { secrethash: hashOf(2) })],
    ['that moves tokens', altered(event, { transferredAmount: 10n })],
    ['that keeps the amount locked', altered(event, { lockedAmount: 10n })],
    ['that keeps the lock', altered(event, { locksroot: locksroot([lock]) })],
    ['by a stranger', { ...event, sender: STRANGER }],
  ])('is refused %s', (_, wrong) => {
    expectRefused(ours, at(FIRST, wrong));
  });
});

describe('a message that comes again', () => {
  const { ours, theirs } = withPartnersLock();
  const transfer = received(partnersChannel({}).tell(partnersLock()));
  const unlocked = received(theirs.tell(unlock()));
  const late = EXPIRATION + CONFIRMATIONS;
  const expired = at(late, received(theirs.tell(expireLock())));

  it.each<[string, PlayedChannel, Incoming]>([
    ['transfer', ours, transfer],
    ['transfer that was paid since', ours.tell(unlocked), transfer],
    ['unlock', ours.tell(unlocked), unlocked],
    ['expiry', ours.tell(expired), expired],
  ])('is acknowledged again and changes nothing: %s', (_, channel, event) => {
    const after = channel.tell(event);
    expect(after.effects).toEqual([{ type: 'send.processed', to: PARTNER, messageId: 7n }]);
    expect(context(after)).toEqual(context(channel));
  });

  it('is not acknowledged to a stranger', () => {
    expectRefused(ours, { ...transfer, sender: STRANGER });
  });

  it('is recorded once', () => {
    const both = openChannel().tell(transfer, transfer, unlocked, unlocked);
    expect(effectsOf(both, 'record.proof').map(({ nonce }) => nonce)).toEqual([1n, 2n]);
    expect(effectsOf(both, 'notify').map(({ to }) => to)).toEqual([
      `target:${hashOf(1)}`,
      `mediator:${hashOf(1)}`,
      KEEPER,
    ]);
  });
});

describe('no message counts', () => {
  const { ours, theirs } = withPartnersLock();
  const next = received(theirs.tell(unlock()));
  const again = received(partnersChannel({}).tell(partnersLock()));
  const close = command.close();

  it.each<[string, PlayedChannel]>([
    ['while the close is on its way', ours.tell(close)],
    ['after the close', ours.tell(closed(OWN))],
  ])('%s', (_, channel) => {
    expectIgnored(channel, next);
    expectIgnored(channel, again);
  });
});

describe('the blocks that are reserved for a lock of the partner', () => {
  const reserved = (lockTimeout: bigint, parts: ChannelParts) => {
    const theirs = partnersChannel({ revealTimeout: 10n }).tell(partnersLock({ lockTimeout }));
    return effectOf(openChannel(parts).tell(received(theirs)), 'judge.lock').taken.input
      .revealTimeout;
  };

  it('are the reveal timeout that somebody here chose', () => {
    for (const lockTimeout of [11n, 20n, 40n])
      expect(reserved(lockTimeout, { revealTimeout: 18n, isRevealChosen: true })).toBe(18n);
  });

  it.each([
    [40n, 18n],
    [37n, 18n],
    [36n, 17n],
    [25n, 12n],
    [21n, 10n],
    [20n, 10n],
    [11n, 10n],
  ])('of a lock timeout of %d are %d where nobody here has chosen', (lockTimeout, blocks) => {
    const parts = { revealTimeout: 18n, isRevealChosen: false, minRevealTimeout: 3n };
    expect(reserved(lockTimeout, parts)).toBe(blocks);
  });

  it('are chosen with the command that sets the reveal timeout', () => {
    const channel = openChannel({ isRevealChosen: false }).tell(command.setRevealTimeout(10n));
    expect(context(channel).isRevealChosen).toBe(true);
  });
});
