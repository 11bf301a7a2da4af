/** What a machine of a replicated node cannot know of: the only repetition of a call for which it may pay. */
import { describe, expect, it } from 'vitest';
import { createSendings } from '../../../src/simulation/replica/sendings.ts';
import { hashOf } from '../../support/makers.ts';

const [first, second] = [{}, {}];
const sent = (nonce: number) => ({ nonce, hash: hashOf(100 + nonce) });

/** The first machine sends with nonce 0, and the second the same with nonce 1. */
function bothSend({ secondOwns = true } = {}) {
  const sendings = createSendings();
  sendings.sends(sent(0).hash, first, true);
  sendings.sends(sent(1).hash, second, secondOwns);
  return sendings;
}

describe('a machine', () => {
  it('cannot know what another one has sent and the stream never got', () => {
    const sendings = bothSend();
    sendings.records(1);
    expect(sendings.couldNotKnow(sent(0), sent(1))).toBe(true);
  });

  it('knows what the stream got before it took over', () => {
    const sendings = bothSend();
    sendings.records(0);
    expect(sendings.couldNotKnow(sent(0), sent(1))).toBe(false);
  });

  it('cannot know what the stream gets when that is not its own any more', () => {
    const sendings = bothSend({ secondOwns: false });
    sendings.records(0);
    expect(sendings.couldNotKnow(sent(0), sent(1))).toBe(true);
  });

  it('knows what it has sent itself, under whichever nonce', () => {
    const sendings = bothSend();
    sendings.sends(sent(2).hash, first, true);
    expect(sendings.couldNotKnow(sent(0), sent(2))).toBe(false);
    expect(sendings.couldNotKnow(sent(0), sent(1))).toBe(true);
    sendings.sends(sent(3).hash, second, true);
    expect(sendings.couldNotKnow(sent(0), sent(3))).toBe(false);
    expect(sendings.couldNotKnow(sent(0), sent(1))).toBe(true);
  });

  it('that never sent it cannot be excused', () => {
    expect(bothSend().couldNotKnow(sent(0), sent(9))).toBe(false);
  });
});
