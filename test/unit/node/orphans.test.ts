/** What a node does at its start about locks for which no actor answers, or more than one. */

import { describe, expect, it } from 'vitest';
import { channelActorId } from '../../../machines/base/actor-ids.ts';
import type { WrongLock } from '../../../src/node/runtime/actors/books.ts';
import { protectLocks } from '../../../src/node/runtime/actors/orphans.ts';
import type { Delivery } from '../../../src/node/runtime/commits/delivery.ts';
import { type Batch, emptyBatch } from '../../../src/store/base/batch.ts';
import type { RegisteredSecret } from '../../../src/store/tables/secrets.ts';
import { CHANNEL, EXPIRATION, hashOf, NETWORK, PARTNER } from '../../support/makers.ts';
import { OTHER_CHANNEL } from '../../support/payment-makers.ts';

/** A lock of the partner for which nobody answers. */
const orphan = (parts: Partial<WrongLock> = {}): WrongLock => ({
  channel: CHANNEL,
  side: 'partner',
  secrethash: hashOf(1),
  expiration: EXPIRATION,
  answerers: [],
  ...parts,
});
const doubled = orphan({ secrethash: hashOf(2), answerers: ['target:2', 'keeper:2'] });

/** What the node does about these locks. `registered`: what it knows of the registration of secret 1. */
function protect(wrong: readonly WrongLock[], registered: RegisteredSecret | null = null) {
  const turns: { told: Delivery[]; batch: Batch }[] = [];
  const logged: unknown[] = [];
  const log = { info() {}, warn() {}, error: (fields: object) => void logged.push(fields) };
  const engine = {
    turn(
      deliveries: Iterable<Delivery>,
      also: (batch: Batch, answer: () => void) => void = () => {},
    ) {
      const batch = emptyBatch();
      also(batch, () => {});
      turns.push({ told: [...deliveries], batch });
      return null;
    },
  };
  const store = {
    registeredSecret: (secrethash: string) => (secrethash === hashOf(1) ? registered : null),
  };
  protectLocks(wrong, { engine, store, log });
  return { turns, logged };
}

/** What it does in its one turn. */
function turnOf(wrong: readonly WrongLock[], registered: RegisteredSecret | null = null) {
  const [turn, second] = protect(wrong, registered).turns;
  if (turn === undefined || second !== undefined) throw new Error('not exactly one turn');
  return turn;
}

const isPublic = (registered: RegisteredSecret | null) =>
  turnOf([orphan()], registered).told.map(({ event }) => 'isPublic' in event && event.isPublic);

describe('a node whose books are right', () => {
  it('writes nothing at its start, and tells nobody', () => {
    expect(protect([])).toEqual({ turns: [], logged: [] });
  });
});

describe('a lock for which no actor answers', () => {
  it.each(['own', 'partner'] as const)('gets a keeper from its channel: of the %s side', (side) => {
    const lock = { side, secrethash: hashOf(1), isPublic: false };
    expect(turnOf([orphan({ side })]).told).toEqual([
      { to: CHANNEL, event: { type: 'actor.unanswered', ...lock } },
    ]);
  });

  it('can be claimed when its secret was registered before it expired, and no later', () => {
    expect(isPublic({ block: EXPIRATION - 1n })).toEqual([true]);
    expect(isPublic({ block: EXPIRATION })).toEqual([false]);
    expect(isPublic(null)).toEqual([false]);
  });

  it('counts as claimable when an older version has stored no block of the registration', () => {
    expect(isPublic({ block: null })).toEqual([true]);
  });
});

describe('a lock for which two actors answer', () => {
  it('gets no keeper beside them', () => {
    expect(turnOf([doubled]).told).toEqual([]);
  });
});

describe('the operator', () => {
  it('finds an alert for each lock, with those who answer for it', () => {
    const { alerts } = turnOf([orphan({ side: 'own' }), doubled]).batch;
    const alert = { type: 'record.alert', alert: 'unanswered_lock', channel: CHANNEL };
    expect(alerts).toEqual([
      { ...alert, detail: `nobody answers for the lock ${hashOf(1)} of the own side` },
      {
        ...alert,
        detail: `target:2 and keeper:2 answers for the lock ${hashOf(2)} of the partner side`,
      },
    ]);
  });

  it('is told in the same commit, also when there were such locks before', () => {
    const { over, notifications } = turnOf([orphan()]).batch;
    expect(over).toEqual(['unanswered_lock']);
    expect(notifications).toMatchObject([{ id: 'unanswered_lock', urgency: 'high' }]);
  });

  it('is told how many locks there are, and each channel once, as the API names it', () => {
    const third = channelActorId({ tokenNetwork: PARTNER, channelId: 7n });
    const wrong = [orphan(), doubled, orphan({ channel: third })];
    const [{ body } = { body: '' }] = turnOf(wrong).batch.notifications;
    expect(body).toContain('found 3 locked amounts');
    expect(body).toContain(
      `in channel 1 of the token network ${NETWORK}, channel 7 of the token network ${PARTNER}.\n`,
    );
  });

  it('finds the number of locks in the log', () => {
    expect(protect([orphan(), orphan({ channel: OTHER_CHANNEL })]).logged).toEqual([{ locks: 2 }]);
  });
});
