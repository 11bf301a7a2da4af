/** Moments that mix draws so that two things meet: each is drawn in some of the seeds, as a scenario that can be read. */
import { expect, it } from 'vitest';
import { mixTree } from '../../src/simulation/run/mix/mix.ts';
import { OCCASIONS } from '../../src/simulation/run/mix/occasions.ts';
import type { Facts } from '../../src/simulation/run/mix/traffic.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';

/** A line of four nodes, the last of which cheats. */
const LINE: Facts = {
  kind: 'line',
  nodes: 4,
  cheats: 1,
  far: [0, 2],
  blocks: 36,
  confirmations: 2,
  reveal: 11,
  settle: 22,
  isPoor: false,
  amount: String,
};
const BASE = {
  version: 1,
  title: 'A moment',
  description: 'Of a small world.',
  network: { topology: { kind: 'line', nodes: 4 } },
  chain: { confirmations: 2 },
  defaults: { reveal_timeout: 11, settle_timeout: 22 },
  run: { blocks: 136, calm: 100 },
};

it.each(Object.entries(OCCASIONS))('%s is part of a scenario, as in a file', (_, occasion) => {
  for (let seed = 1; seed <= 40; seed++) {
    const added = occasion(createRandomness(seed).of('test'), LINE);
    expect(Object.values(added).flat().length).toBeGreaterThan(0);
    const parsed = parseScenario(JSON.stringify({ ...BASE, ...added }), 'moment');
    expect(parsed.ok ? [] : parsed.problems).toEqual([]);
  }
});

it('brings the worlds of mix what chance alone seldom does', () => {
  const worlds = Array.from({ length: 300 }, (_, n) => JSON.stringify(mixTree(n + 1)));
  const signs = {
    sharedSecret: /"secret":[4-9]\b/,
    registeredAndSettled: /"type":"RevealSecret","times":1000\b/,
    deepFork: /"after":"(registration_mined|settlement_\w+)"\},"depth"/,
    dearDeadline: /"kind":"price_spike","when":\{"after":"\w+","blocks":[4-8]\}/,
    slowDisk: /"ms":[2-9]000\b/,
    heldConsent: /"type":"WithdrawConfirmation","times":1\b/,
    failedUnlock: /"after":"unlock_sent","blocks":[12]\}/,
  } satisfies Record<keyof typeof OCCASIONS, RegExp>;
  const counts = Object.values(signs).map(
    (sign) => worlds.filter((text) => sign.test(text)).length,
  );
  expect(Math.min(...counts)).toBeGreaterThan(3);
});
