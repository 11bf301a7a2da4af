import { describe, expect, it } from 'vitest';
import { lateBlock } from '../../../src/protocol/channel/expiration.ts';
import {
  at,
  blockReached,
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  NOW,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  STRANGER,
  secretOf,
  secretRevealed,
  TOKEN,
  txDone,
  txFailed,
} from '../../support/makers.ts';
import {
  channelClosed,
  lockEnded,
  type PlayedTarget,
  revealSecret,
  target,
} from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const ID = `target:${hashOf(1)}`;
/** First block at which an off-chain unlock must not be waited for any more. */
const DANGER = EXPIRATION - REVEAL_TIMEOUT;
/** Half of the time until then is over. */
const LATE = lateBlock(NOW, DANGER);

const requesting = target();
const revealed = requesting.tell(revealSecret());
const registering = revealed.tell(blockReached(DANGER));
const { key: firstJob } = effectOf(registering, 'tx.registerSecret');

const quiet = [
  { type: 'done.message', key: `request:${ID}` },
  { type: 'done.message', key: `reveal:${ID}` },
];
const state = ({ snapshot }: PlayedTarget) => snapshot.value;

describe('a payment that arrives', () => {
  it('is answered with a request for exactly what was locked', () => {
    expect(requesting.effects).toEqual([
      {
        type: 'send.message',
        key: `request:${ID}`,
        to: PARTNER,
        queue: null,
        message: {
          type: 'SecretRequest',
          paymentId: 1n,
          secrethash: hashOf(1),
          token: TOKEN,
          amount: 10n,
          expiration: EXPIRATION,
        },
      },
    ]);
  });

  it('asks nobody when this node pays itself: it has the secret, or lets the lock go', () => {
    const unreadable = target({ initiator: OWN });
    expect([state(unreadable), unreadable.effects]).toEqual(['expiring', []]);
    const own = target({ initiator: OWN, secret: secretOf(1) });
    expect([state(own), effectOf(own, 'send.message').to]).toEqual(['revealed', PARTNER]);
  });

  it('asks the initiator, not the payer', () => {
    expect(effectOf(target({ initiator: STRANGER }), 'send.message').to).toBe(STRANGER);
  });

  it.each([
    [DANGER - 2n, 'requesting'],
    [DANGER - 1n, 'requesting'],
    [DANGER, 'expiring'],
    [DANGER + 1n, 'expiring'],
    [EXPIRATION, 'expiring'],
    [EXPIRATION + 1n, 'expiring'],
  ])('at block %d is %s', (nowBlock, value) => {
    const arrived = target({ nowBlock });
    expect(state(arrived)).toBe(value);
    expect(effectsOf(arrived, 'send.message')).toHaveLength(value === 'requesting' ? 1 : 0);
  });

  it('too late is not claimed, even when the secret is known', () => {
    const late = target({ nowBlock: DANGER });
    expect(late.tell(revealSecret()).effects).toEqual([]);
  });

  it('falls silent when its lock has run out unanswered', () => {
    const end = EXPIRATION + CONFIRMATIONS;
    expect(requesting.snapshot.context.wakeBlock).toBe(end);
    const silent = requesting.tell(blockReached(end));
    expect(state(silent)).toBe('expiring');
    expect(silent.effects).toEqual(quiet);
  });
});

describe('the secret', () => {
  it('is passed back to the payer, and the request ends', () => {
    expect(revealed.effects).toEqual([
      { type: 'done.message', key: `request:${ID}` },
      {
        type: 'send.message',
        key: `reveal:${ID}`,
        to: PARTNER,
        queue: null,
        message: { type: 'RevealSecret', secret: secretOf(1) },
      },
    ]);
  });

  it('may come from anybody', () => {
    expect(state(requesting.tell(revealSecret(STRANGER)))).toBe('revealed');
  });

  it('that comes again changes nothing', () => {
    expect(revealed.tell(revealSecret()).effects).toEqual([]);
  });

  // Passed back later, the payer would call it paid while there is no time left to claim it on chain.
  it.each([
    [DANGER - 1n, 'revealed'],
    [DANGER, 'requesting'],
    [DANGER + 1n, 'requesting'],
    [EXPIRATION - 1n, 'requesting'],
    [EXPIRATION, 'requesting'],
    [EXPIRATION + 1n, 'requesting'],
  ])('at block %d leaves the payment %s', (block, value) => {
    const after = requesting.tell(at(block, revealSecret()));
    expect(state(after)).toBe(value);
    expect(effectsOf(after, 'send.message')).toHaveLength(value === 'revealed' ? 1 : 0);
  });

  // Else whoever starts a payment could make its payer look as if that did not unlock.
  it.each([
    [LATE - 1n, 'revealed'],
    [LATE, 'requesting'],
    [DANGER - 1n, 'requesting'],
  ])(
    'that somebody else than the payer shows at block %d leaves the payment %s',
    (block, value) => {
      const mediated = target({ initiator: STRANGER });
      expect(state(mediated.tell(at(block, revealSecret(STRANGER))))).toBe(value);
    },
  );

  it('is registered on chain when waiting gets dangerous', () => {
    expect(revealed.snapshot.context.wakeBlock).toBe(DANGER);
    expect(registering.effects).toEqual([
      {
        type: 'tx.registerSecret',
        from: ID,
        key: firstJob,
        deadlineBlock: EXPIRATION - 1n,
        secret: secretOf(1),
      },
    ]);
  });

  it('is registered at once when the channel closes', () => {
    const closed = revealed.tell(channelClosed());
    expect(state(closed)).toBe('registering');
    expect(effectsOf(closed, 'tx.registerSecret')).toHaveLength(1);
  });

  it('is registered at once when it comes after the channel closed', () => {
    const closed = requesting.tell(channelClosed());
    expect(closed.effects).toEqual([]);
    const known = closed.tell(revealSecret());
    expect(state(known)).toBe('registering');
    expect(known.effects.map(({ type }) => type)).toEqual(['done.message', 'tx.registerSecret']);
  });

  it('is of no use after the channel closed, when it comes late or the node does not answer for a claim', () => {
    const closed = requesting.tell(channelClosed());
    expect(state(closed.tell(at(EXPIRATION - 1n, revealSecret())))).toBe('closed');
    const refused = { ...revealSecret(), refusal: 'insufficient_gas' } as const;
    expect(state(closed.tell(refused))).toBe('closed');
  });

  it('is not passed back when no unlock can come any more', () => {
    const known = requesting.tell(channelClosed()).tell(revealSecret());
    expect(effectsOf(known, 'send.message')).toEqual([]);
    expect(effectOf(known, 'done.message').key).toBe(`request:${ID}`);
  });

  it('that never comes costs no transaction', () => {
    const closed = requesting.tell(channelClosed());
    const silent = closed.tell(blockReached(EXPIRATION + CONFIRMATIONS));
    expect(state(silent)).toBe('expiring');
    expect(effectsOf(silent, 'tx.registerSecret')).toEqual([]);
  });

  it.each([EXPIRATION, EXPIRATION + 1n])('is not registered in vain at block %d', (block) => {
    const late = revealed.tell(blockReached(block));
    expect(state(late)).toBe('expiring');
    expect(late.effects).toEqual(quiet);
    expect(revealed.tell(at(block, channelClosed())).effects).toEqual([]);
  });

  it('needs no transaction when the lock was unlocked first', () => {
    const paid = revealed.tell(lockEnded.unlocked());
    expect(effectsOf(paid, 'tx.registerSecret')).toEqual([]);
  });
});

describe('a registration', () => {
  const told = {
    type: 'notify',
    to: CHANNEL,
    event: { type: 'actor.secretRegistered', secrethash: hashOf(1), secret: secretOf(1) },
  };

  it('is told to the channel when it was mined in time', () => {
    const done = registering.tell(txDone(firstJob, EXPIRATION - 1n));
    expect(state(done)).toBe('registered');
    expect(done.effects).toEqual([told]);
  });

  it.each([EXPIRATION, EXPIRATION + 1n])('that was mined at block %d is too late', (block) => {
    const late = registering.tell(txDone(firstJob, block));
    expect(state(late)).toBe('expiring');
    expect(late.effects).toEqual(quiet);
  });

  it('that failed is tried again at the next block, as a job of its own', () => {
    const failed = registering.tell(at(DANGER + 2n, txFailed(firstJob)));
    expect(failed.snapshot.context.wakeBlock).toBe(DANGER + 3n);
    const again = failed.tell(blockReached(DANGER + 3n));
    expect(state(again)).toBe('registering');
    expect(effectOf(again, 'tx.registerSecret').key).not.toBe(firstJob);
  });

  it('is not tried again when the lock has run out', () => {
    const failed = registering.tell(at(EXPIRATION - 1n, txFailed(firstJob)));
    const last = failed.tell(blockReached(EXPIRATION - 1n));
    expect(effectsOf(last, 'tx.registerSecret')).toHaveLength(1);
    const over = failed.tell(blockReached(EXPIRATION));
    expect(state(over)).toBe('expiring');
    expect(over.effects).toEqual(quiet);
  });

  it('is asked for once: the close of the channel adds none', () => {
    expect(registering.tell(channelClosed(), revealSecret()).effects).toEqual([]);
  });
});

describe('a secret on chain', () => {
  const closed = requesting.tell(channelClosed());
  const states: [string, PlayedTarget][] = [
    ['requesting', requesting],
    ['revealed', revealed],
    ['closed', closed],
    ['registering', registering],
    ['expiring', target({ nowBlock: DANGER })],
  ];

  it.each(states)('counts for a payment that is %s, whoever registered it', (_, payment) => {
    const after = payment.tell(secretRevealed(EXPIRATION - 1n));
    expect(state(after)).toBe('registered');
    expect(effectOf(after, 'notify')).toMatchObject({
      to: CHANNEL,
      event: { type: 'actor.secretRegistered', secrethash: hashOf(1) },
    });
    expect(effectOf(after, 'send.message').message).toMatchObject({ type: 'RevealSecret' });
    expect(effectsOf(after, 'tx.registerSecret')).toEqual([]);
    expect(after.tell(txFailed(firstJob)).effects).toEqual([]);
    expect(after.tell(txDone(firstJob, EXPIRATION - 1n)).effects).toEqual([]);
  });

  it.each(states)('one block too late does not count for one that is %s', (value, payment) => {
    const after = payment.tell(secretRevealed(EXPIRATION));
    expect(state(after)).toBe(value);
    expect(after.effects).toEqual([]);
  });

  it('is the only one that is needed when somebody was faster', () => {
    const faster = registering.tell(secretRevealed(EXPIRATION - 3n));
    const own = faster.tell(txDone(firstJob, EXPIRATION - 2n), blockReached(EXPIRATION));
    expect(own.effects).toEqual([]);
    expect(state(own)).toBe('registered');
  });
});

describe('the end of its lock', () => {
  const registered = registering.tell(txDone(firstJob, NOW));
  const states: [string, PlayedTarget][] = [
    ['requesting', requesting],
    ['revealed', revealed],
    ['closed', requesting.tell(channelClosed())],
    ['registering', registering],
    ['registered', registered],
    ['expiring', target({ nowBlock: DANGER })],
  ];

  it.each(states)('by an unlock is a payment received: %s', (_, payment) => {
    const paid = payment.tell(lockEnded.unlocked());
    expect(state(paid)).toBe('paid');
    expect(paid.snapshot.status).toBe('done');
    expect(paid.effects.slice(0, 2)).toEqual(quiet);
    expect(effectOf(paid, 'record.paymentReceived')).toMatchObject({
      amount: 10n,
      initiator: PARTNER,
      paymentId: 1n,
    });
  });

  it.each(states)('by its expiry is none: %s', (_, payment) => {
    const lost = payment.tell(lockEnded.lockGone());
    expect(state(lost)).toBe('lost');
    expect(lost.snapshot.status).toBe('done');
    expect(lost.effects).toEqual(quiet);
  });

  it('does not come from a lock with the same secrethash in another channel', () => {
    for (const [value, payment] of states)
      for (const event of [
        lockEnded.unlocked('channel:other:1'),
        lockEnded.lockGone('channel:other:1'),
      ]) {
        expect(payment.tell(event).effects).toEqual([]);
        expect(state(payment.tell(event))).toBe(value);
      }
  });
});
