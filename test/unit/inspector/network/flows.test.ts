import { describe, expect, it } from 'vitest';
import { flowsOf } from '../../../../src/inspector/page/network/flows.ts';
import { placesOf } from '../../../../src/inspector/page/network/places.ts';
import type { InspectionRecord } from '../../../../src/inspector/wire.ts';
import { inTokens } from '../../../../src/protocol/digits.ts';

/** A step of `channel:1` that has this effect. */
function step(effect: { type: string } & Record<string, unknown>): InspectionRecord[] {
  const place = { seq: 7, part: 2, actor: 'channel:1', block: 1n, time: 0 };
  return [{ ...place, cause: { from: 'outside' }, kind: 'effect', effect }];
}

describe('what flows between the nodes of a devnet', () => {
  it('is each message of a payment, with its amount', () => {
    const message = { type: 'LockedTransfer', lock: { amount: 5n } };
    expect(flowsOf('alice', step({ type: 'send.message', to: '0xb0b', message }))).toEqual([
      { id: 'alice/7.2', from: 'alice', to: '0xb0b', kind: 'lock', amount: 5n },
    ]);
  });

  it('is not what only acknowledges or stays inside', () => {
    expect(flowsOf('alice', step({ type: 'send.processed', to: '0xb0b', messageId: 1n }))).toEqual(
      [],
    );
    expect(flowsOf('alice', step({ type: 'tell', to: 'channel:2' }))).toEqual([]);
  });

  it('is drawn between places of which no two are the same', () => {
    const places = placesOf(['a', 'b', 'c', 'd', 'e'], { width: 720, height: 400 });
    const points = [...places.values()].map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`);
    expect(new Set(points).size).toBe(5);
  });

  it('is labelled in whole tokens, cut where there is no room', () => {
    const labels = [93_995_380n, 1_000_000n, 5n, 1_234_500_000n].map((units) => inTokens(units, 6));
    expect(labels).toEqual(['93.9953…', '1', '0.0000…', '1,234.5']);
    expect(inTokens(7n, 0)).toBe('7');
    expect(inTokens(-1_500n, 3)).toBe('−1.5');
  });
});
