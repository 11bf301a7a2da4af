import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/simulation/network/faults.ts';
import type { Sight } from '../../src/simulation/network/parcel.ts';
import {
  ALICE,
  BOB,
  CAROL,
  NOBODY,
  numbers,
  openNetwork,
  text,
} from '../support/simulated-network.ts';

describe('a fault of the simulated network', () => {
  const rain: Fault = { kind: 'lose', probability: 1 };

  it('loses payloads of all, of one node, of a pair, or of one direction', async () => {
    const everyWay = async (fault: Fault) => {
      const { a, b, heard, settle, network } = openNetwork();
      network.faults.begin('rain', fault);
      for (const [one, to, word] of [
        [a, BOB, 'ab'],
        [b, ALICE, 'ba'],
        [a, CAROL, 'ac'],
        [b, CAROL, 'bc'],
      ] as const)
        one.publish(to, text(word));
      await settle();
      return heard.map((line) => line.slice(2)).sort();
    };
    expect(await everyWay(rain)).toEqual([]);
    expect(await everyWay({ ...rain, where: { node: ALICE } })).toEqual(['bc']);
    expect(await everyWay({ ...rain, where: { between: [BOB, ALICE] } })).toEqual(['ac', 'bc']);
    expect(await everyWay({ ...rain, where: { from: ALICE, to: BOB } })).toEqual([
      'ac',
      'ba',
      'bc',
    ]);
  });

  it('hits about as often as it is told to, counts its hits, and ends', async () => {
    const { a, heard, settle, network } = openNetwork();
    const end = network.faults.begin('rain', { kind: 'lose', probability: 0.25 });
    for (const n of numbers(1_000)) a.publish(BOB, text(n));
    await settle();
    const lost = network.faults.counts()['rain'] ?? 0;
    expect(lost).toBeGreaterThan(200);
    expect(lost).toBeLessThan(300);
    expect(heard).toHaveLength(1_000 - lost);
    expect(network.counters().lost).toBe(lost);
    end();
    for (const n of numbers(100)) a.publish(BOB, text(n));
    await settle();
    expect(heard).toHaveLength(1_100 - lost);
    expect(network.faults.counts()['rain']).toBe(lost);
  });

  it('cannot begin under the name of another fault that has not ended', () => {
    const { network } = openNetwork();
    network.faults.begin('rain', rain);
    expect(() => network.faults.begin('rain', rain)).toThrow('has begun');
    network.faults.endAll();
    expect(() => network.faults.begin('rain', rain)).not.toThrow();
  });

  it('doubles payloads', async () => {
    const { a, heard, settle, network } = openNetwork();
    network.faults.begin('twins', { kind: 'duplicate', probability: 1 });
    a.publish(BOB, text('one'));
    await settle();
    expect(heard).toEqual(['b one', 'b one']);
    expect(network.counters()).toMatchObject({ sent: 1, delivered: 2 });
  });

  it('delays payloads in their order, or lets them overtake each other', async () => {
    const { a, heard, settle, network, scheduler } = openNetwork();
    const delay = { kind: 'delay', leastMs: 500, mostMs: 900 } as const;
    const end = network.faults.begin('slow', delay);
    for (const n of numbers(20)) a.publish(BOB, text(n));
    await settle();
    const inOrder = numbers(20).map((n) => `b ${n}`);
    expect(heard).toEqual(inOrder);
    expect(scheduler.now()).toBeGreaterThan(510);
    end();
    network.faults.begin('chaos', { kind: 'reorder', probability: 0.5, windowMs: 1_000 });
    heard.splice(0);
    for (const n of numbers(20)) a.publish(BOB, text(n));
    await settle();
    expect(heard).not.toEqual(inOrder);
    expect(heard.toSorted()).toEqual(inOrder.toSorted());
  });

  it('separates groups of nodes, and loses payloads that are on their way between them', async () => {
    const { a, b, c, heard, settle, network, asked } = openNetwork();
    a.publish(BOB, text('on its way'));
    const end = network.faults.begin('cut', { kind: 'partition', groups: [[ALICE]] });
    a.publish(BOB, text('ab'));
    b.publish(CAROL, text('bc'));
    c.publish(ALICE, text('ca'));
    await settle();
    expect(heard).toEqual(['c bc']);
    expect(await asked(a.presence(BOB))).toBe('unknown');
    expect(await asked(b.presence(CAROL))).toBe('reachable');
    end();
    a.publish(BOB, text('again'));
    await settle();
    expect(heard).toEqual(['c bc', 'b again']);
  });

  it('makes a node deaf that can still speak', async () => {
    const { a, b, heard, settle, network, asked } = openNetwork();
    network.faults.begin('deaf', { kind: 'deaf', node: BOB });
    a.publish(BOB, text('listen'));
    b.publish(ALICE, text('what?'));
    await settle();
    expect(heard).toEqual(['a what?']);
    expect(await asked(a.presence(BOB))).toBe('unknown');
    expect(await asked(b.presence(ALICE))).toBe('unknown');
  });

  it('takes the broker away and brings it back, and every node is told', async () => {
    const { a, b, heard, settle, network, scheduler, asked } = openNetwork();
    const said: string[] = [];
    a.onStatus((status) => said.push(`a ${status} ${a.isConnected()}`));
    b.onStatus((status) => said.push(`b ${status} ${b.isConnected()}`));
    a.publish(BOB, text('on its way'));
    const end = network.faults.begin('outage', { kind: 'down' });
    a.publish(BOB, text('lost'));
    expect(await asked(a.presence(BOB))).toBe('unknown');
    expect(heard).toEqual([]);
    expect(said).toEqual(['a disconnected false', 'b disconnected false']);
    const late = network.connect(CAROL, 'c2');
    expect(late.isConnected()).toBe(false);
    end();
    await settle();
    expect(said.slice(2).sort()).toEqual(['a connected true', 'b connected true']);
    expect(late.isConnected()).toBe(true);
    expect(network.faults.counts()).toEqual({ outage: 1 });
    a.publish(BOB, text('again'));
    await settle();
    expect(heard).toEqual(['b again']);
    expect(scheduler.next()).toBeNull();
  });

  it('takes the broker away from one node alone', async () => {
    const { a, b, c, network } = openNetwork();
    network.faults.begin('cable', { kind: 'down', nodes: [BOB] });
    expect([a, b, c].map((one) => one.isConnected())).toEqual([true, false, true]);
  });
});

describe('a hostile broker of the simulated network', () => {
  it('replays old payloads, of which it remembers the last ones', async () => {
    const { a, heard, settle, network } = openNetwork(1, { replayLimit: 3 });
    for (const n of numbers(10)) a.publish(BOB, text(n));
    await settle();
    network.faults.begin('replay', { kind: 'replay', probability: 1 });
    for (let n = 0; n < 30; n++) a.publish(CAROL, text('new'));
    await settle();
    const replayed = heard.slice(10).filter((line) => line.startsWith('b'));
    expect(replayed.every((line) => ['b 7', 'b 8', 'b 9'].includes(line))).toBe(true);
    expect(heard).toHaveLength(10 + 30 + 30);
    expect(network.faults.counts()).toEqual({ replay: 30 });
  });

  it('turns around a bit of what it delivers, and nothing of what the sender has', async () => {
    const { a, network, sights, settle } = openNetwork();
    network.faults.begin('flip', { kind: 'flip', probability: 1 });
    const sent = Buffer.alloc(8);
    for (let n = 0; n < 20; n++) a.publish(BOB, sent);
    await settle();
    const bits = (bytes: Uint8Array) =>
      bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
    const counted = (type: Sight['type']) =>
      sights.filter((one) => one.type === type).map(({ parcel }) => bits(parcel.payload));
    expect(counted('delivered')).toEqual(Array(20).fill(1));
    expect(counted('sent')).toEqual(Array(20).fill(0));
  });

  it('hands payloads to others', async () => {
    const { a, heard, settle, network } = openNetwork();
    network.faults.begin('swap', { kind: 'misdeliver', probability: 1 });
    for (let n = 0; n < 30; n++) a.publish(BOB, text('for Bob'));
    await settle();
    expect(new Set(heard)).toEqual(new Set(['a for Bob', 'b for Bob', 'c for Bob']));
    expect(heard).toHaveLength(30);
  });

  it('lies about who is there, but calls no node reachable that never was', async () => {
    const { a, b, network, asked } = openNetwork();
    await b.close();
    network.faults.begin('lies', { kind: 'forgePresence', probability: 1 });
    const states = new Set<string>();
    for (let n = 0; n < 30; n++) states.add(await asked(a.presence(BOB)));
    expect(states).toEqual(new Set(['reachable', 'unreachable', 'unknown']));
    for (let n = 0; n < 10; n++) expect(await asked(a.presence(NOBODY))).not.toBe('reachable');
  });

  it('keeps the books right under every fault at once', async () => {
    const probability = fc.constantFrom(0, 0.3, 1);
    await fc.assert(
      fc.asyncProperty(fc.nat(), probability, probability, async (seed, lost, doubled) => {
        const { a, b, network, sights, settle, heard } = openNetwork(seed);
        network.faults.begin('lose', { kind: 'lose', probability: lost });
        network.faults.begin('double', { kind: 'duplicate', probability: doubled });
        network.faults.begin('replay', { kind: 'replay', probability: 0.2 });
        network.faults.begin('swap', { kind: 'misdeliver', probability: 0.2 });
        for (const n of numbers(20)) [a, b].map((one) => one.publish(CAROL, text(n)));
        await settle();
        const { sent, delivered, lost: gone } = network.counters();
        const { double = 0, replay = 0 } = network.faults.counts();
        expect(sent).toBe(40);
        expect(delivered + gone).toBe(sent + double + replay);
        expect(heard).toHaveLength(delivered);
        expect(sights).toHaveLength(sent + delivered + gone);
      }),
      { numRuns: 30 },
    );
  });
});
