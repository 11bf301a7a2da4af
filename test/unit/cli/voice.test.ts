import { describe, expect, it } from 'vitest';
import { createVoice } from '../../../src/cli/process/voice.ts';

/** Something with an error code of the system. */
const failing = (code: string) => Object.assign(new Error(code), { code });

/** Where a voice writes: `room` bytes are taken, then it answers `code`. */
function output() {
  let text = '';
  let planned: (() => void)[] = [];
  const at = { room: Number.POSITIVE_INFINITY, code: 'EAGAIN', text: () => text, later };
  const voice = createVoice({
    write(bytes) {
      const taken = Math.min(bytes.length, at.room);
      if (taken === 0) throw failing(at.code);
      at.room -= taken;
      text += Buffer.from(bytes.subarray(0, taken)).toString();
      return taken;
    },
    later: (again) => planned.push(again),
  });
  function later() {
    const due = planned;
    planned = [];
    for (const again of due) again();
  }
  return {
    at,
    say: (line: string) => voice(Buffer.from(`${line}\n`)),
    planned: () => planned.length,
  };
}

describe('a line', () => {
  it('is written at once', () => {
    const { at, say, planned } = output();
    say('one');
    say('two');
    expect(at.text()).toBe('one\ntwo\n');
    expect(planned()).toBe(0);
  });

  it('waits for a reader that has stopped, and keeps its place', () => {
    const { at, say } = output();
    at.room = 2;
    say('one');
    say('two');
    expect(at.text()).toBe('on');
    at.later();
    expect(at.text()).toBe('on');
    at.room = 1_000;
    at.later();
    say('three');
    expect(at.text()).toBe('one\ntwo\nthree\n');
  });

  it('is counted where it can never be written, which is said as soon as there is room', () => {
    const { at, say } = output();
    at.code = 'ENOSPC';
    at.room = 2;
    for (const line of ['one', 'two', 'three']) say(line);
    at.room = 1_000;
    say('four');
    say('five');
    expect(at.text()).toBe('on\nsluice: 3 lines could not be written here\nfour\nfive\n');
  });

  it('is said to be missing once, though there was only room to begin with it', () => {
    const { at, say } = output();
    at.code = 'ENOSPC';
    at.room = 0;
    say('one');
    Object.assign(at, { room: 3, code: 'EAGAIN' });
    say('two');
    at.room = 1_000;
    at.later();
    expect(at.text()).toBe('sluice: a line could not be written here\ntwo\n');
  });
});

it('keeps no more than a mebibyte for a reader that has stopped', () => {
  const { at, say } = output();
  at.room = 0;
  const line = 'x'.repeat(1_023);
  for (let n = 0; n < 1_100; n++) say(line);
  at.room = Number.POSITIVE_INFINITY;
  at.later();
  say('and on');
  const lines = at.text().split('\n').slice(0, -1);
  expect(lines).toHaveLength(1_024 + 2);
  expect(lines.slice(-2)).toEqual(['sluice: 76 lines could not be written here', 'and on']);
});
