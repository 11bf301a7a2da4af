import { describe, expect, it } from 'vitest';
import { createLine } from '../../../src/replica/line.ts';
import type { Item } from '../../../src/replica/tail.ts';
import { memoryStream } from '../../support/record-stream.ts';
import { until } from '../../support/until.ts';

const START = { sequence: 0, tag: '0'.repeat(32) };
const clock = {
  now: () => 7,
  every(_ms: number, work: () => void) {
    const timer = setInterval(work, 1);
    return () => clearInterval(timer);
  },
};

function item(sequence: number, text = `record ${sequence}`): Item {
  return { bytes: Buffer.from(text), point: { sequence, tag: 'f'.repeat(32) }, track: 'log' };
}

function lineOn(memory = memoryStream()) {
  const taken: number[] = [];
  const troubles: (string | null)[] = [];
  const line = createLine({
    stream: memory.stream,
    start: START,
    clock,
    onTaken: (after) => void taken.push(after),
    onTrouble: (message) => void troubles.push(message),
  });
  const heard: string[] = [];
  const wait = (sequence: number) =>
    line.whenAcknowledged(sequence, () => void heard.push(`${sequence}`));
  const texts = () => memory.records.map((bytes) => Buffer.from(bytes).toString());
  return { line, memory, taken, troubles, heard, wait, texts };
}

describe('records on their way to the stream', () => {
  it('are acknowledged in order, and whoever waits hears it in order', async () => {
    const { line, heard, wait, texts } = lineOn();
    for (const sequence of [1, 2, 3]) {
      line.add(item(sequence));
      wait(sequence);
    }
    expect(heard).toEqual([]);
    await until(() => heard.length === 3, 'all are acknowledged');
    expect(heard).toEqual(['1', '2', '3']);
    expect(texts()).toEqual(['record 1', 'record 2', 'record 3']);
    expect(line.onTheWay()).toEqual([]);
  });

  it('travel one at a time: of two, the second could land behind the record of another node', async () => {
    const { line, memory, taken, texts } = lineOn();
    memory.hold();
    for (const sequence of [1, 2, 3]) line.add(item(sequence));
    expect(texts()).toEqual(['record 1']);
    memory.records.push(Buffer.from('of another node'));
    memory.answer();
    await until(() => memory.isAsked(), 'the second is sent');
    memory.answer();
    await until(() => taken.length === 1, 'it is noticed');
    expect(texts()).toEqual(['record 1', 'of another node']);
  });

  it('wait while the stream is away, and are sent in order when it is back', async () => {
    const { line, memory, heard, wait, texts, troubles } = lineOn();
    memory.goAway();
    for (const sequence of [1, 2]) line.add(item(sequence));
    wait(2);
    await until(() => line.trouble() !== null, 'the trouble is known');
    line.add(item(3));
    expect(line.trouble()).toEqual({ since: 7, message: 'it is away' });
    memory.comeBack();
    await until(() => heard.length === 1 && texts().length === 3, 'all have arrived');
    expect(texts()).toEqual(['record 1', 'record 2', 'record 3']);
    expect(troubles).toEqual(['it is away', null]);
  });

  it('count as acknowledged when they arrived and only the answer was lost', async () => {
    const { line, memory, heard, wait, texts, taken } = lineOn();
    memory.loseAnswers(true);
    line.add(item(1));
    line.add(item(2));
    wait(2);
    memory.loseAnswers(false);
    await until(() => heard.length === 1, 'they are acknowledged');
    expect(texts()).toEqual(['record 1', 'record 2']);
    expect(taken).toEqual([]);
  });

  it('end when somebody else has written at the place of one of them: nobody who waits ever hears', async () => {
    const { line, memory, heard, wait, taken } = lineOn();
    line.add(item(1));
    await until(() => line.onTheWay().length === 0, 'it has arrived');
    memory.records.push(Buffer.from('of another node'));
    line.add(item(2));
    wait(2);
    await until(() => taken.length === 1, 'it is noticed');
    expect(taken).toEqual([1]);
    expect(line.isEnded()).toBe(true);
    line.add(item(3));
    wait(1);
    expect(heard).toEqual([]);
    expect(memory.records).toHaveLength(2);
  });

  it('end when another node has written behind all of them while the stream was away', async () => {
    const { line, memory, taken } = lineOn();
    memory.loseAnswers(true);
    line.add(item(1));
    memory.records.push(Buffer.from('of another node'));
    await until(() => taken.length === 1, 'it is noticed');
    expect(line.isEnded()).toBe(true);
  });

  it('are sent again when the stream had acknowledged and lost them', async () => {
    const { line, memory, heard, wait, texts, taken } = lineOn();
    for (const sequence of [1, 2, 3]) line.add(item(sequence));
    await until(() => line.onTheWay().length === 0, 'they have arrived');
    memory.records.length = 1;
    line.add(item(4));
    wait(4);
    await until(() => heard.length === 1, 'all have arrived');
    expect(texts()).toEqual(['record 1', 'record 2', 'record 3', 'record 4']);
    expect(taken).toEqual([]);
  });

  it('end when another node goes on from where the stream has lost some of them', async () => {
    const { line, memory, heard, wait, taken } = lineOn();
    for (const sequence of [1, 2, 3]) line.add(item(sequence));
    await until(() => line.onTheWay().length === 0, 'they have arrived');
    memory.records.splice(1, 2, Buffer.from('of another node'));
    line.add(item(4));
    wait(4);
    await until(() => taken.length === 1, 'it is noticed');
    expect(memory.records).toHaveLength(2);
    expect([heard, line.isEnded()]).toEqual([[], true]);
  });

  it('are found again when only one server of the stream had not heard of them yet', async () => {
    const { line, memory, heard, wait, texts } = lineOn();
    for (const sequence of [1, 2, 3]) line.add(item(sequence));
    await until(() => line.onTheWay().length === 0, 'they have arrived');
    memory.showEnd(1);
    memory.loseAnswers(true);
    line.add(item(4));
    wait(4);
    await until(() => memory.isSeen(), 'the end of that server is seen');
    memory.showEnd(null);
    memory.loseAnswers(false);
    await until(() => heard.length === 1, 'all are known to be there');
    expect(texts()).toEqual(['record 1', 'record 2', 'record 3', 'record 4']);
  });

  it('wait for a stream that ends before what it had acknowledged, and send nothing', async () => {
    const { line, memory, heard, wait, taken } = lineOn();
    line.add(item(1));
    await until(() => line.onTheWay().length === 0, 'it has arrived');
    memory.records.length = 0;
    line.add(item(2));
    wait(2);
    await until(
      () => line.trouble()?.message.includes('had acknowledged 1') === true,
      'it is said',
    );
    expect(memory.records).toEqual([]);
    expect([heard, taken]).toEqual([[], []]);
    line.close();
  });
});
