import { describe, expect, it } from 'vitest';
import { hopName } from '../../../machines/mediation.ts';
import { createDirectory } from '../../../src/node/directory.ts';
import { hasEnded, noteRegistered } from '../../../src/node/secrethashes.ts';
import { emptyBatch } from '../../../src/store/batch.ts';
import { CHANNEL, hashOf, PARTNER, STRANGER, secretRevealed, TOKEN } from '../../support/makers.ts';

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

  it('whose secret is on chain may still pay this node', () => {
    expect(hasEnded(registered, `target:${hashOf(1)}`)).toBe(false);
  });

  it.each(['mediator', 'target', 'initiator'])('of an ended payment gets no %s', (role) => {
    expect(hasEnded(knowing([], [hashOf(1)]), `${role}:${hashOf(1)}`)).toBe(true);
  });
});

describe('the name of a hop', () => {
  const directory = createDirectory();
  directory.add(CHANNEL, { token: TOKEN, partner: PARTNER });

  it('stands for the channel with the partner, and for nobody where there is none', () => {
    expect(directory.resolve(hopName(TOKEN, PARTNER))).toBe(CHANNEL);
    expect(directory.resolve(hopName(TOKEN, STRANGER))).toBeNull();
    expect(directory.resolve(CHANNEL)).toBe(CHANNEL);
  });
});
