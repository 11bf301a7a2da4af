import { describe, expect, it } from 'vitest';
import { createNodeLogs } from '../../../src/devnet/page/logs.ts';

const textsOf = ({ lines }: { lines: readonly { text: string }[] }) =>
  lines.map(({ text }) => text);

describe('the logs of the nodes of a devnet', () => {
  it('are told apart by node and level, and read on from a line', () => {
    const logs = createNodeLogs();
    logs.take('alice', '12:30:01.250 INFO  payments  token=0x1\n');
    logs.take('bob', '12:30:01.300 WARN  chain away');
    logs.take('alice', '12:30:02.000 ERROR the disk is full');
    logs.take('alice', 'sluice: the node ends');
    const { last, lines } = logs.after('alice', 0);
    expect(last).toBe(4);
    expect(lines).toEqual([
      { seq: 1, level: 'info', text: '12:30:01.250 INFO  payments  token=0x1' },
      { seq: 3, level: 'error', text: '12:30:02.000 ERROR the disk is full' },
      { seq: 4, level: null, text: 'sluice: the node ends' },
    ]);
    expect(textsOf(logs.after('alice', 3))).toEqual(['sluice: the node ends']);
    expect(logs.after('bob', 2)).toEqual({ last: 4, lines: [] });
    expect(logs.after('carol', 0).lines).toEqual([]);
  });

  it('are told whole to a page that knows lines of an earlier devnet', () => {
    const logs = createNodeLogs();
    logs.take('alice', 'one');
    expect(textsOf(logs.after('alice', 700))).toEqual(['one']);
  });

  it('take a bounded memory: the newest 300 lines of 600 characters', () => {
    const logs = createNodeLogs();
    for (let at = 1; at <= 1_000; at++) logs.take('alice', `${at} ${'x'.repeat(5_000)}`);
    const { lines } = logs.after('alice', 0);
    expect(lines).toHaveLength(300);
    expect(lines[0]?.text).toMatch(/^701 x+ …$/);
    expect(Math.max(...lines.map(({ text }) => text.length))).toBeLessThan(610);
  });
});
