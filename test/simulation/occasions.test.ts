/** Faults that wait until a node does something. */
import { describe, expect, it } from 'vitest';
import { eventsOf, scenarioOf } from './small-scenarios.ts';

/** Node 0 closes its channel with node 1 in block 3. */
function closing(fault: object) {
  return scenarioOf({
    chain: { confirmations: 1 },
    defaults: { reveal_timeout: 10, settle_timeout: 20 },
    steps: [{ do: 'close', at_block: 3, node: 0, partner: 1 }],
    faults: [fault],
    run: { blocks: 60, calm: 40 },
  });
}

describe('a fault that waits', () => {
  it('strikes the node that sends the transaction, soon after, and once', async () => {
    const fault = { kind: 'kill', when: { after: 'close_sent', blocks: 2 } };
    const { result } = await eventsOf(closing(fault), 1);
    expect(result.violation).toBeNull();
    const struck = result.faults.map(({ name, target, fromBlock }) => [name, target, fromBlock]);
    expect(struck).toEqual([['kill', 'node-0', 3]]);
  });

  it('strikes all when it is of all, whoever does what it waits for', async () => {
    const fault = { kind: 'reorganisation', depth: 1, when: { after: 'close_mined' } };
    const { result } = await eventsOf(closing(fault), 1);
    expect(result.violation).toBeNull();
    expect(result.faults.map(({ name, fromBlock }) => [name, fromBlock])).toEqual([
      ['reorganisation', 4],
    ]);
  });

  it('does not strike a node that it is not for, nor before the time that it counts', async () => {
    const other = { kind: 'kill', nodes: '1', when: { after: 'close_sent' } };
    expect((await eventsOf(closing(other), 1)).result.faults).toEqual([]);
    const later = { kind: 'kill', when: { after: 'close_sent', nth: 2 } };
    expect((await eventsOf(closing(later), 1)).result.faults).toEqual([]);
  });

  it('strikes while a standby takes over', async () => {
    const scenario = scenarioOf({
      nodes: [{ nodes: '1', standby: {} }],
      faults: [
        { kind: 'takeover', nodes: '1', when: { at_block: 5, blocks: 3 } },
        { kind: 'partition', groups: ['0', '1..2'], when: { after: 'takeover', blocks: 2 } },
      ],
      run: { blocks: 40, calm: 20 },
    });
    const { result } = await eventsOf(scenario, 1);
    expect(result.violation).toBeNull();
    expect(result.faults.map(({ name, fromBlock }) => [name, fromBlock])).toEqual([
      ['partition', 5],
      ['takeover', 5],
    ]);
  });
});
