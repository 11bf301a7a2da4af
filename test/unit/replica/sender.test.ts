import { describe, expect, it } from 'vitest';
import { tagOf } from '../../../src/replica/record.ts';
import type { Item } from '../../../src/replica/retained.ts';
import { createRecordSender } from '../../../src/replica/sender.ts';
import { memoryStream } from '../../support/record-stream.ts';
import { until } from '../../support/until.ts';

const clock = {
  now: () => 7,
  elapsed: () => 7,
  every(_ms: number, work: () => void) {
    const timer = setInterval(work, 1);
    return () => clearInterval(timer);
  },
};

function item(sequence: number, text = `record ${sequence}`): Item {
  const bytes = Buffer.from(text);
  return { bytes, point: { sequence, tag: tagOf(bytes) }, track: 'log' };
}

/** A stream with so many records. */
function streamOf(records: number) {
  const memory = memoryStream();
  for (let sequence = 1; sequence <= records; sequence++) memory.records.push(item(sequence).bytes);
  return memory;
}

/** A sender that begins behind the records that are in the stream. */
function senderOn(memory = memoryStream(), time = clock) {
  const taken: number[] = [];
  const troubles: (string | null)[] = [];
  const sender = createRecordSender({
    stream: memory.stream,
    start: item(memory.records.length).point,
    clock: time,
    onTaken: (after) => void taken.push(after),
    onTrouble: (message) => void troubles.push(message),
  });
  const heard: string[] = [];
  const wait = (sequence: number) =>
    sender.whenAcknowledged(sequence, () => void heard.push(`${sequence}`));
  const texts = () => memory.records.map((bytes) => Buffer.from(bytes).toString());
  return { sender, memory, taken, troubles, heard, wait, texts };
}

describe('records on their way to the stream', () => {
  it('are acknowledged in order, and whoever waits hears it in order', async () => {
    const { sender, heard, wait, texts } = senderOn();
    for (const sequence of [1, 2, 3]) {
      sender.add(item(sequence));
      wait(sequence);
    }
    expect(heard).toEqual([]);
    await until(() => heard.length === 3, 'all are acknowledged');
    expect(heard).toEqual(['1', '2', '3']);
    expect(texts()).toEqual(['record 1', 'record 2', 'record 3']);
    expect(sender.onTheWay()).toEqual([]);
  });

  it('travel one at a time: of two, the second could land behind the record of another node', async () => {
    const { sender, memory, taken, texts } = senderOn();
    memory.hold();
    for (const sequence of [1, 2, 3]) sender.add(item(sequence));
    expect(texts()).toEqual(['record 1']);
    memory.records.push(Buffer.from('of another node'));
    memory.answer();
    await until(() => memory.isAsked(), 'the second is sent');
    memory.answer();
    await until(() => taken.length === 1, 'it is noticed');
    expect(texts()).toEqual(['record 1', 'of another node']);
  });

  it('wait while the stream is away, and are sent in order when it is back', async () => {
    const { sender, memory, heard, wait, texts, troubles } = senderOn();
    memory.goAway();
    for (const sequence of [1, 2]) sender.add(item(sequence));
    wait(2);
    await until(() => sender.trouble() !== null, 'the trouble is known');
    sender.add(item(3));
    expect(sender.trouble()).toEqual({ since: 7, message: 'it is away' });
    memory.comeBack();
    await until(() => heard.length === 1 && texts().length === 3, 'all have arrived');
    expect(texts()).toEqual(['record 1', 'record 2', 'record 3']);
    expect(troubles).toEqual(['it is away', null]);
  });

  it('make the stream no better by being read: it is back when it has acknowledged one', async () => {
    const { sender, memory, troubles, wait, heard } = senderOn();
    memory.fill(true);
    sender.add(item(1));
    wait(1);
    await until(() => memory.isLookedAt(), 'the stream was looked at twice');
    expect(sender.trouble()).toEqual({ since: 7, message: 'it is full' });
    expect(troubles).toEqual(['it is full']);
    memory.fill(false);
    await until(() => heard.length === 1, 'it is acknowledged');
    expect(troubles).toEqual(['it is full', null]);
  });

  it('count as acknowledged when they arrived and only the answer was lost', async () => {
    const { sender, memory, heard, wait, texts, taken } = senderOn();
    memory.loseAnswers(true);
    sender.add(item(1));
    sender.add(item(2));
    wait(2);
    memory.loseAnswers(false);
    await until(() => heard.length === 1, 'they are acknowledged');
    expect(texts()).toEqual(['record 1', 'record 2']);
    expect(taken).toEqual([]);
  });

  it('end when somebody else has written at the place of one of them: nobody who waits ever hears', async () => {
    const { sender, memory, heard, wait, taken } = senderOn();
    sender.add(item(1));
    await until(() => sender.onTheWay().length === 0, 'it has arrived');
    memory.records.push(Buffer.from('of another node'));
    sender.add(item(2));
    wait(2);
    await until(() => taken.length === 1, 'it is noticed');
    expect(taken).toEqual([1]);
    expect(sender.isEnded()).toBe(true);
    sender.add(item(3));
    wait(1);
    expect(heard).toEqual([]);
    expect(memory.records).toHaveLength(2);
  });

  it('end when another node has written behind all of them while the stream was away', async () => {
    const { sender, memory, taken } = senderOn();
    memory.loseAnswers(true);
    sender.add(item(1));
    memory.records.push(Buffer.from('of another node'));
    await until(() => taken.length === 1, 'it is noticed');
    expect(sender.isEnded()).toBe(true);
  });

  it('are sent again when the stream had acknowledged and lost them', async () => {
    const { sender, memory, heard, wait, texts, taken } = senderOn();
    for (const sequence of [1, 2, 3]) sender.add(item(sequence));
    await until(() => sender.onTheWay().length === 0, 'they have arrived');
    memory.records.length = 1;
    sender.add(item(4));
    wait(4);
    await until(() => heard.length === 1, 'all have arrived');
    expect(texts()).toEqual(['record 1', 'record 2', 'record 3', 'record 4']);
    expect(taken).toEqual([]);
  });

  it('end when another node goes on from where the stream has lost some of them', async () => {
    const { sender, memory, heard, wait, taken } = senderOn();
    for (const sequence of [1, 2, 3]) sender.add(item(sequence));
    await until(() => sender.onTheWay().length === 0, 'they have arrived');
    memory.records.splice(1, 2, Buffer.from('of another node'));
    sender.add(item(4));
    wait(4);
    await until(() => taken.length === 1, 'it is noticed');
    expect(memory.records).toHaveLength(2);
    expect([heard, sender.isEnded()]).toEqual([[], true]);
  });

  it('are found again when only one server of the stream had not heard of them yet', async () => {
    const { sender, memory, heard, wait, texts } = senderOn();
    for (const sequence of [1, 2, 3]) sender.add(item(sequence));
    await until(() => sender.onTheWay().length === 0, 'they have arrived');
    memory.showEnd(1);
    memory.loseAnswers(true);
    sender.add(item(4));
    wait(4);
    await until(() => memory.isSeen(), 'the end of that server is seen');
    memory.showEnd(null);
    memory.loseAnswers(false);
    await until(() => heard.length === 1, 'all are known to be there');
    expect(texts()).toEqual(['record 1', 'record 2', 'record 3', 'record 4']);
  });

  it('are sent again when the stream lost all of them since the node began', async () => {
    const { sender, memory, texts } = senderOn(streamOf(5));
    for (const sequence of [6, 7]) sender.add(item(sequence));
    await until(() => sender.onTheWay().length === 0, 'they have arrived');
    memory.records.length = 5;
    sender.add(item(8));
    await until(() => memory.records.length === 8, 'all have arrived');
    expect(texts().slice(5)).toEqual(['record 6', 'record 7', 'record 8']);
    expect(sender.acknowledged().sequence).toBe(8);
  });

  it.each([
    ['and this one waits', ['other 3', 'other 4']],
    ['which has written as much by then', ['other 3', 'other 4', 'other 5', 'other 6']],
  ])(
    'end when another node has taken a stream that lost more than is known here, %s',
    async (_, others) => {
      const { sender, memory, heard, wait, taken } = senderOn(streamOf(5));
      sender.add(item(6));
      await until(() => sender.onTheWay().length === 0, 'it has arrived');
      memory.goAway();
      sender.add(item(7));
      await until(() => sender.trouble() !== null, 'it is noticed');
      memory.records.splice(2, 4, ...others.map((text) => Buffer.from(text)));
      memory.comeBack();
      wait(7);
      await until(() => sender.trouble() !== null || taken.length > 0, 'it is noticed');
      while (memory.records.length < 6)
        memory.records.push(Buffer.from(`other ${memory.records.length + 1}`));
      await until(() => taken.length === 1, 'it ends');
      expect([heard, memory.records.length]).toEqual([[], 6]);
    },
  );

  it('end when this node has slept, and another one has written as much as the stream lost', async () => {
    let time = 0;
    const memory = streamOf(5);
    const taken: number[] = [];
    const sender = createRecordSender({
      stream: memory.stream,
      start: item(5).point,
      clock: { ...clock, now: () => time },
      onTaken: (after) => void taken.push(after),
      onTrouble() {},
    });
    sender.add(item(6));
    await until(() => sender.onTheWay().length === 0, 'it has arrived');
    memory.records.splice(2, 4, ...[3, 4, 5, 6].map((n) => Buffer.from(`other ${n}`)));
    time = 10_000;
    sender.add(item(7));
    await until(() => taken.length === 1, 'it is noticed');
    expect(memory.records).toHaveLength(6);
  });

  it('are not asked for again and again when servers disagree', async () => {
    const memory = streamOf(6);
    let asked = 0;
    const bounds = async () => ({
      first: 1,
      last: ++asked % 2 === 1 ? 2 : 6,
      bytes: 0,
      madeAt: '0',
    });
    const append = async () => ({ ok: false, problem: 'taken' }) as const;
    let pauses = 0;
    const sender = createRecordSender({
      stream: { ...memory.stream, bounds, append },
      start: item(2).point,
      clock: {
        ...clock,
        every(ms, work) {
          pauses += 1;
          return clock.every(ms, work);
        },
      },
      onTaken() {},
      onTrouble() {},
    });
    for (const sequence of [3, 4, 5, 6, 7]) sender.add(item(sequence));
    await until(() => asked > 20, 'it was asked');
    sender.close();
    expect(pauses).toBeGreaterThan(15);
  });

  it('wait for a stream that ends before what it had acknowledged, and send nothing', async () => {
    const { sender, memory, heard, wait, taken } = senderOn(streamOf(5));
    sender.add(item(6));
    await until(() => sender.onTheWay().length === 0, 'it has arrived');
    memory.records.length = 3;
    sender.add(item(7));
    wait(7);
    await until(
      () => sender.trouble()?.message.includes('had acknowledged 6') === true,
      'it is said',
    );
    expect(memory.records).toHaveLength(3);
    expect([heard, taken]).toEqual([[], []]);
    sender.close();
  });
});

describe('records of a node that another one asks to make room', () => {
  /** A sender whose clock stands until the test moves it. */
  function heldLine() {
    const time = { ms: 0 };
    const made = senderOn(memoryStream(), { ...clock, elapsed: () => time.ms });
    made.sender.hold();
    return { ...made, time };
  }

  it('wait for a moment, and go on when nobody has come', async () => {
    const { sender, memory, heard, wait, texts, troubles, time } = heldLine();
    sender.add(item(1));
    wait(1);
    await until(memory.isLookedAt, 'it looks whether somebody has come');
    expect(texts()).toEqual([]);
    time.ms = 10_000;
    await until(() => heard.length === 1, 'it goes on');
    expect({ texts: texts(), troubles }).toEqual({ texts: ['record 1'], troubles: [] });
  });

  it('never leave when another node has taken the stream meanwhile', async () => {
    const { sender, memory, taken, texts } = heldLine();
    sender.add(item(1));
    memory.records.push(Buffer.from('of another node'));
    await until(() => taken.length === 1, 'it is noticed');
    expect(texts()).toEqual(['of another node']);
  });
});
