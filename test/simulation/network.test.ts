import { describe, expect, it } from 'vitest';
import { MAX_PAYLOAD_BYTES } from '../../src/partner/transport.ts';
import { ALICE, BOB, NOBODY, numbers, openNetwork, text } from '../support/simulated-network.ts';

describe('the network of a simulation', () => {
  it('delivers every payload once, after the latency, those of a pair in order', async () => {
    const { a, b, heard, settle, scheduler, network } = openNetwork();
    for (const n of numbers(20)) a.publish(BOB, text(n));
    b.publish(ALICE, text('hello'));
    expect(heard).toEqual([]);
    await settle();
    expect(heard.filter((line) => line.startsWith('b'))).toEqual(numbers(20).map((n) => `b ${n}`));
    expect(heard).toContain('a hello');
    expect(scheduler.now()).toBeGreaterThanOrEqual(10);
    expect(scheduler.now()).toBeLessThanOrEqual(50);
    expect(network.counters()).toMatchObject({ sent: 21, delivered: 21, lost: 0 });
  });

  it('is the same in every run from the same seed, and another one from another', async () => {
    const run = async (seed: number) => {
      const { a, c, network, sights, settle, scheduler } = openNetwork(seed);
      const when: number[] = [];
      network.tap(() => when.push(scheduler.now()));
      network.faults.begin('rain', { kind: 'lose', probability: 0.3 });
      network.faults.begin('twins', { kind: 'duplicate', probability: 0.3 });
      for (const n of numbers(30)) [a, c].map((one) => one.publish(BOB, text(n)));
      await settle();
      return [sights, when];
    };
    expect(await run(1)).toEqual(await run(1));
    expect(await run(2)).not.toEqual(await run(1));
  });

  it('delivers the payloads of all others at the same times when one more node sends', async () => {
    const timesOfBob = async (isCarolThere: boolean) => {
      const { a, c, network, settle, scheduler } = openNetwork();
      const when: number[] = [];
      network.tap(({ type, parcel }) => {
        if (type === 'delivered' && parcel.to === BOB) when.push(scheduler.now());
      });
      for (const n of numbers(5)) {
        a.publish(BOB, text(n));
        if (isCarolThere) c.publish(ALICE, text(n));
      }
      await settle();
      return when;
    };
    expect(await timesOfBob(true)).toEqual(await timesOfBob(false));
  });

  it('delivers what was sent, whatever becomes of the bytes afterwards', async () => {
    const { a, heard, settle } = openNetwork();
    const payload = text('one');
    a.publish(BOB, payload);
    payload.fill(0);
    await settle();
    expect(heard).toEqual(['b one']);
  });

  it('takes no payload that is too large, and loses what nobody listens for', async () => {
    const { a, sights, settle, network } = openNetwork();
    a.publish(BOB, new Uint8Array(MAX_PAYLOAD_BYTES + 1));
    expect(network.counters().sent).toBe(0);
    a.publish(NOBODY, text('hello'));
    await settle();
    expect(sights.map(({ type, by }) => [type, by])).toEqual([
      ['sent', null],
      ['lost', 'nobody'],
    ]);
  });

  it('tells broadcasts to all who listen to the topic, but not to the sender', async () => {
    const { a, b, c, settle, network } = openNetwork();
    const told: string[] = [];
    for (const [name, one] of Object.entries({ a, b, c }))
      one.onBroadcast('pathfinding', (payload) => told.push(`${name} ${payload.length}`));
    a.onBroadcast('monitoring', () => told.push('monitoring'));
    a.broadcast('pathfinding', text('fee'));
    await settle();
    expect(told.sort()).toEqual(['b 3', 'c 3']);
    expect(network.counters()).toMatchObject({ sent: 2, delivered: 2 });
    expect(() => a.onBroadcast('pathfinding', () => {})).toThrow('one handler');
  });

  it('answers whether a node is there, and with its key', async () => {
    const { a, b, asked } = openNetwork();
    expect(await asked(a.presence(BOB))).toBe('reachable');
    expect(await asked(a.presence(NOBODY))).toBe('unreachable');
    await b.close();
    expect(await asked(a.presence(BOB))).toBe('unreachable');
    expect(await asked(b.presence(ALICE))).toBe('unknown');
  });

  it('finds a second process under the same address', async () => {
    const { a, join, settle } = openNetwork();
    const answers: string[] = [];
    const ask = async () => void answers.push(await a.findRival());
    void ask();
    await settle();
    join(ALICE, 'a2');
    void ask();
    await settle();
    expect(answers).toEqual(['none', 'free']);
  });

  it('lets a process die without a word, while what it has sent arrives', async () => {
    const { a, network, heard, settle, join } = openNetwork();
    const said: string[] = [];
    a.onStatus((status) => said.push(status));
    a.publish(BOB, text('last words'));
    void a.presence(BOB).then(({ state }) => said.push(state));
    network.disconnect('a');
    a.publish(BOB, text('from the grave'));
    for (let n = 0; n < 5; n++) await settle();
    expect(heard).toEqual(['b last words']);
    expect(said).toEqual([]);
    expect(a.isConnected()).toBe(false);
    join(ALICE, 'a again').publish(BOB, text('back'));
    await settle();
    expect(heard).toEqual(['b last words', 'b back']);
  });

  it('tells a node that it is disconnected when it leaves, and tells nobody else', async () => {
    const { a, b, settle } = openNetwork();
    const said: string[] = [];
    a.onStatus((status) => said.push(`a ${status}`));
    b.onStatus((status) => said.push(`b ${status}`));
    await a.close();
    await a.close();
    await settle();
    expect(said).toEqual(['a disconnected']);
  });
});
