import { describe, expect, it } from 'vitest';
import { inTokens } from '../../../../src/basics/digits.ts';
import type { InspectionRecord } from '../../../../src/inspector/wire.ts';
import { flowsOf } from '../../../../src/inspector-page/network/flows.ts';
import { nodePlaces, sheetFor } from '../../../../src/inspector-page/network/places.ts';

/** A step of `channel:1` that has this effect. */
function step(effect: { type: string } & Record<string, unknown>): InspectionRecord[] {
  const place = { seq: 7, part: 2, actor: 'channel:1', block: 1n, time: 0 };
  return [{ ...place, cause: { from: 'outside' }, kind: 'effect', effect }];
}

describe('what flows between the nodes of a devnet', () => {
  it('is each message of a payment', () => {
    const changes = [{ type: 'lock', lock: { amount: 5n } }, { type: 'unlock' }];
    const to = '0xb0b';
    const update = { type: 'Update', changes };
    expect(flowsOf('alice', step({ type: 'send.message', to, message: update }))).toEqual([
      { id: 'alice/7.2.0', from: 'alice', to, kind: 'lock' },
      { id: 'alice/7.2.1', from: 'alice', to, kind: 'unlock' },
    ]);
    const message = { type: 'SecretRequest', amount: 5n };
    expect(flowsOf('alice', step({ type: 'send.message', to, message }))).toEqual([
      { id: 'alice/7.2', from: 'alice', to, kind: 'secret' },
    ]);
  });

  it('is no acknowledgement, and nothing that stays inside a node', () => {
    expect(flowsOf('alice', step({ type: 'send.processed', to: '0xb0b', messageId: 1n }))).toEqual(
      [],
    );
    expect(flowsOf('alice', step({ type: 'notify', to: 'channel:2' }))).toEqual([]);
  });

  it.each(
    [1, 2, 5, 8, 20, 50].flatMap((count) =>
      [368, 680, 1_400].map((width) => [count, width] as const),
    ),
  )('is drawn between %i nodes that stand clear of each other in %i pixels', (count, width) => {
    const names = Array.from({ length: count }, (_, at) => `node-${at}`);
    // A line, and everybody's channel with the first.
    const edges = names.slice(1).flatMap((_, at) => [
      { from: at, to: at + 1 },
      { from: 0, to: at + 1 },
    ]);
    const sheet = sheetFor(count, width);
    const places = [...nodePlaces(names, edges, sheet).values()];
    const gaps = places.flatMap((one, at) =>
      places.slice(at + 1).map((other) => Math.hypot(one.x - other.x, one.y - other.y)),
    );
    for (const gap of gaps) expect(gap).toBeGreaterThan(sheet.radius * 1.6);
    for (const { x, y } of places) {
      expect(x).toBeGreaterThanOrEqual(sheet.radius);
      expect(x).toBeLessThanOrEqual(sheet.width - sheet.radius);
      expect(y).toBeGreaterThanOrEqual(sheet.radius);
      expect(y).toBeLessThanOrEqual(sheet.height - sheet.radius);
    }
  });

  it('is labelled in whole tokens, cut where there is no room', () => {
    const labels = [93_995_380n, 1_000_000n, 5n, 1_234_500_000n].map((units) => inTokens(units, 6));
    expect(labels).toEqual(['93.9953…', '1', '0.000005', '1,234.5']);
    expect(inTokens(7n, 0)).toBe('7');
    expect(inTokens(-1_500n, 3)).toBe('−1.5');
  });
});
