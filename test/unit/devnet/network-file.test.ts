import { describe, expect, it } from 'vitest';
import { readNetworkFile } from '../../../src/devnet/network-file.ts';

const GOOD = {
  version: 1,
  nodes: ['alice', 'bob'],
  settings: { settle_timeout: 20, reveal_timeout: 10, block_seconds: 1 },
  channels: [{ between: ['alice', 'bob'], token: 'TTA', deposits: ['5', '0'] }],
};
const channel = (facts: object) => ({ ...GOOD, channels: [{ ...GOOD.channels[0], ...facts }] });

describe('the file of a network', () => {
  it('is read as it was saved', () => {
    expect(readNetworkFile(JSON.stringify(GOOD))).toEqual({ ok: true, value: GOOD });
  });

  it.each([
    ['no JSON', '{', 'it is no JSON'],
    ['another version', { ...GOOD, version: 2 }, 'version: is not 1'],
    ['too many nodes', { ...GOOD, nodes: Array(9).fill('alice') }, 'nodes: has more than 8'],
    [
      'other names',
      { ...GOOD, nodes: ['bob', 'alice'] },
      'nodes are named alice, bob, carol and so on, in this order',
    ],
    [
      'a negative deposit',
      channel({ deposits: ['-1', '0'] }),
      'channels.0.deposits.0: is no text of up to 25 digits',
    ],
    [
      'a deposit in words',
      channel({ deposits: ['much', '0'] }),
      'channels.0.deposits.0: is no text of up to 25 digits',
    ],
    [
      'a token that would move the cursor',
      channel({ token: '\u001b[2J' }),
      'channels.0.token: is no symbol of a token',
    ],
    [
      'more than there is',
      channel({ deposits: ['1000000000000000000000001', '0'] }),
      'channels.0.deposits.0: is above 1000000000000000000000000',
    ],
    [
      'a stranger',
      channel({ between: ['alice', 'carol'] }),
      'a channel is between two different ones of the nodes',
    ],
    [
      'a short timeout',
      { ...GOOD, settings: { ...GOOD.settings, settle_timeout: 19 } },
      'the settle timeout is at least two reveal timeouts',
    ],
  ])('with %s is refused, and it is said where', (_, file, message) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    expect(readNetworkFile(text)).toEqual({ ok: false, message });
  });

  it('says nothing to a terminal that is no text, and nothing long', () => {
    for (const key of ['\u001b]0;mine\u0007', 'x'.repeat(90_000)]) {
      const read = readNetworkFile(JSON.stringify({ ...GOOD, [key]: 1 }));
      expect(read).toEqual({ ok: false, message: expect.stringMatching(/^[\x20-\x7e]{1,200}$/) });
    }
  });
});
