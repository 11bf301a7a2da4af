import { describe, expect, it } from 'vitest';
import { hopName } from '../../../machines/events/notices.ts';
import { createDirectory } from '../../../src/node/runtime/actors/directory.ts';
import {
  hasEnded,
  isSecretUsed,
  noteRegistered,
  withOpen,
} from '../../../src/node/runtime/knowledge/secrethashes.ts';
import { type Batch, emptyBatch } from '../../../src/store/base/batch.ts';
import {
  CHANNEL,
  deposited,
  hashOf,
  NETWORK,
  PARTNER,
  STRANGER,
  secretRevealed,
  TOKEN,
} from '../../support/makers.ts';
import { batchOf } from '../../support/store.ts';

const PAYMENT = {
  token: TOKEN,
  tokenNetwork: NETWORK,
  paymentId: 1n,
  channel: null,
  amount: 1n,
  target: PARTNER,
  attempts: 1,
  code: 'no_route' as const,
  reason: '',
} as const;

/** A store that remembers these ids, and payments with these secrethashes. */
function knowing(ids: readonly string[], paid: readonly string[] = []) {
  return {
    hasEnded: (id: string) => ids.includes(id),
    isSecrethashUsed: (secrethash: string) => paid.includes(secrethash),
  };
}

describe('a secrethash', () => {
  const batch = emptyBatch();
  noteRegistered(batch, secretRevealed(50n));
  const registered = knowing(batch.ended);

  it('whose secret was on chain before the transfer came gets no mediator', () => {
    expect(hasEnded(registered, `mediator:${hashOf(1)}`)).toBe(true);
    expect(hasEnded(registered, `mediator:${hashOf(2)}`)).toBe(false);
  });

  it('whose secret is on chain is kept with the block of its log', () => {
    const open = emptyBatch();
    noteRegistered(open, secretRevealed(50n));
    expect(open.registered).toEqual([{ secrethash: hashOf(1), block: 50n }]);
  });

  it('is not public because of anything else that the chain says', () => {
    const open = emptyBatch();
    noteRegistered(open, deposited(PARTNER, 10n));
    expect(open).toEqual(emptyBatch());
  });

  it('whose secret is on chain may still pay this node', () => {
    expect(hasEnded(registered, `target:${hashOf(1)}`)).toBe(false);
  });

  it.each(['mediator', 'target', 'initiator'])('of an ended payment gets no %s', (role) => {
    expect(hasEnded(knowing([], [hashOf(1)]), `${role}:${hashOf(1)}`)).toBe(true);
  });
});

describe('what has ended in the batch that is not written yet', () => {
  const nothing = knowing([]);
  const sent = { type: 'record.paymentFailed', secrethash: hashOf(1) } as const;
  const payment = { ...PAYMENT, ...sent };

  it.each<[string, Partial<Batch>]>([
    ['a mediator', { retired: [`mediator:${hashOf(1)}`], ended: [`mediator:${hashOf(1)}`] }],
    ['a target whose payment is in the history', { payments: [payment] }],
    ['a payment of this node', { retired: [`initiator:${hashOf(1)}`] }],
  ])('counts as ended: %s', (_, parts) => {
    const known = withOpen(nothing, batchOf(parts));
    for (const role of ['mediator', 'target']) {
      expect(hasEnded(known, `${role}:${hashOf(1)}`)).toBe(true);
      expect(hasEnded(known, `${role}:${hashOf(2)}`)).toBe(false);
    }
    expect(isSecretUsed({ has: () => false }, known, hashOf(1))).toBe(true);
    expect(isSecretUsed({ has: () => false }, known, hashOf(2))).toBe(false);
  });

  it('counts as public: a secret whose log has just come', () => {
    const open = emptyBatch();
    noteRegistered(open, secretRevealed(50n));
    const known = withOpen(nothing, open);
    expect(hasEnded(known, `mediator:${hashOf(1)}`)).toBe(true);
    expect(isSecretUsed({ has: () => false }, known, hashOf(1))).toBe(true);
    expect(isSecretUsed({ has: () => false }, nothing, hashOf(1))).toBe(false);
  });
});

describe('the name of a hop', () => {
  const directory = createDirectory({ isSettled: () => false });
  directory.add(CHANNEL, { token: TOKEN, partner: PARTNER, openBlock: 5n, channelId: 1n });

  it('stands for the channel with the partner, and for nobody where there is none', () => {
    expect(directory.resolve(hopName(TOKEN, PARTNER))).toBe(CHANNEL);
    expect(directory.resolve(hopName(TOKEN, STRANGER))).toBeNull();
    expect(directory.resolve(CHANNEL)).toBe(CHANNEL);
  });
});
