import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Session, withSession } from '../../../src/cli/process/session.ts';
import { createProgressLine, type ProgressLine } from '../../../src/cli/simulate/progress.ts';

const MINUTE = 60_000;

/** What the work writes to an output that is a terminal, or is not. */
function written(isTTY: boolean, work: (line: ProgressLine) => void): string {
  let text = '';
  const write: Writable['_write'] = (chunk, _encoding, done) => {
    text += String(chunk);
    done();
  };
  const err = Object.assign(new Writable({ write }), { isTTY });
  const session: Session = { environment: {}, out: err, err, signals: { on: () => {} } };
  withSession(session, () => work(createProgressLine()));
  return text;
}

describe('the progress of a long run', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is a line each minute where there is no terminal, also before there is anything to say', () => {
    const text = written(false, (line) => {
      vi.advanceTimersByTime(1.5 * MINUTE);
      line.show(0.2, 'block 2 of 10');
      line.show(0.25, 'block 3 of 12');
      vi.advanceTimersByTime(1.5 * MINUTE);
      line.clear();
      vi.advanceTimersByTime(10 * MINUTE);
    });
    expect(text.split('\n')).toEqual([
      '1 min: preparing',
      '2 min: 25 %, block 3 of 12, 6 min left',
      '3 min: 25 %, block 3 of 12, 9 min left',
      '',
    ]);
  });

  it('is nothing of a run that is over within a minute', () => {
    const text = written(false, (line) => {
      line.show(0.5, 'block 5 of 10');
      vi.advanceTimersByTime(MINUTE - 1);
      line.clear();
    });
    expect(text).toBe('');
  });

  it('is one line on a terminal, which is there a minute later at the latest and goes in the end', () => {
    const text = written(true, (line) => {
      vi.advanceTimersByTime(MINUTE);
      line.show(0, 'block 0 of 10');
      line.clear();
    });
    expect(text).toBe('\r\u001b[K1 min: preparing\r\u001b[K0 %, block 0 of 10\r\u001b[K');
  });
});
