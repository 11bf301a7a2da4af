import { describe, expect, it } from 'vitest';
import { createBus } from '../../../src/partner/bus.ts';
import type { Transport } from '../../../src/partner/transport.ts';
import { createSigner } from '../../../src/signer/signer.ts';

const keyOf = (byte: number) => createSigner(new Uint8Array(32).fill(byte));
const { address: alice } = keyOf(1);
const { address: bob, publicKey: bobsKey } = keyOf(2);
const { address: carol } = keyOf(3);

function heard(transport: Transport, publicKey = bobsKey): number[] {
  const received: number[] = [];
  transport.onMessage(([first]) => received.push(first ?? -1), publicKey);
  return received;
}

/** A bus whose steps the test makes itself. */
function steppedBus() {
  const tasks: (() => void)[] = [];
  const bus = createBus((task) => tasks.push(task));
  const step = () => {
    for (const task of tasks.splice(0)) task();
  };
  return { bus, step };
}

describe('the bus', () => {
  it('delivers when its scheduler says so, never within the call', () => {
    const { bus, step } = steppedBus();
    const atBob = heard(bus.connect(bob));
    const a = bus.connect(alice);
    a.publish(bob, Uint8Array.of(1));
    a.publish(bob, Uint8Array.of(2));
    expect(atBob).toEqual([]);
    step();
    expect(atBob).toEqual([1, 2]);
  });

  it('delivers what was sent, though the sender changes its bytes afterwards', () => {
    const { bus, step } = steppedBus();
    const atBob = heard(bus.connect(bob));
    const payload = Uint8Array.of(1);
    bus.connect(alice).publish(bob, payload);
    payload.fill(9);
    step();
    expect(atBob).toEqual([1]);
  });

  it('broadcasts to whoever listens to the topic, and to nobody else', () => {
    const { bus, step } = steppedBus();
    const [a, b, c] = [bus.connect(alice), bus.connect(bob), bus.connect(carol)];
    const got: string[] = [];
    b.onBroadcast('pathfinding', ([first]) => got.push(`bob ${first}`));
    c.onBroadcast('monitoring', ([first]) => got.push(`carol ${first}`));
    const atBob = heard(b);
    a.broadcast('pathfinding', Uint8Array.of(1));
    a.broadcast('monitoring', Uint8Array.of(2));
    step();
    expect(got).toEqual(['bob 1', 'carol 2']);
    expect(atBob).toEqual([]);
  });

  it('lets nothing pass a cut in either direction, and delivers everything else', () => {
    const { bus, step } = steppedBus();
    const [a, b, c] = [bus.connect(alice), bus.connect(bob), bus.connect(carol)];
    const [atAlice, atBob, atCarol] = [heard(a), heard(b), heard(c)];
    bus.cut(bob, alice);
    a.publish(bob, Uint8Array.of(1));
    b.publish(alice, Uint8Array.of(2));
    a.publish(carol, Uint8Array.of(3));
    step();
    expect([atAlice, atBob, atCarol]).toEqual([[], [], [3]]);
    bus.heal(alice, bob);
    a.publish(bob, Uint8Array.of(4));
    step();
    expect(atBob).toEqual([4]);
  });

  it('loses what is under way when the cut comes', () => {
    const { bus, step } = steppedBus();
    const atBob = heard(bus.connect(bob));
    bus.connect(alice).publish(bob, Uint8Array.of(1));
    bus.cut(alice, bob);
    step();
    expect(atBob).toEqual([]);
  });

  it('does not know who is behind a cut', async () => {
    const bus = createBus();
    const [a, b] = [bus.connect(alice), bus.connect(bob)];
    heard(b);
    expect(await a.presence(bob)).toEqual({ state: 'reachable', publicKey: bobsKey });
    bus.cut(alice, bob);
    expect(await a.presence(bob)).toEqual({ state: 'unknown' });
  });

  it('does not take a key for one that is not the address’s own', async () => {
    const bus = createBus();
    const a = bus.connect(alice);
    heard(bus.connect(bob), keyOf(3).publicKey);
    expect(await a.presence(bob)).toEqual({ state: 'unknown' });
    heard(bus.connect(bob));
    expect(await a.presence(bob)).toEqual({ state: 'reachable', publicKey: bobsKey });
  });

  it('can be left and joined again under the same address', async () => {
    const { bus, step } = steppedBus();
    const a = bus.connect(alice);
    const first = bus.connect(bob);
    const before = heard(first);
    await first.close();
    const after = heard(bus.connect(bob));
    a.publish(bob, Uint8Array.of(1));
    step();
    expect([before, after]).toEqual([[], [1]]);
  });
});
