import { describe, expect, it } from 'vitest';
import { createLog, type LogOptions } from '../../../src/cli/process/log.ts';

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    isJson: true,
    write: (line) => void lines.push(line),
    ...options,
  });
  return { log, lines };
}

describe('the log', () => {
  it('hides secrets, keys, passwords and signatures however deep they are', () => {
    const { log, lines } = logged();
    const hidden = { secret: 'a1', privateKey: 'b2', password: 'c3', signature: 'd4' };
    log.info({ ...hidden, payment: { list: [{ secret: 'e5' }], secrethash: 'f6' } }, 'paid');
    const [line = ''] = lines;
    for (const secret of ['a1', 'b2', 'c3', 'd4', 'e5']) expect(line).not.toContain(`"${secret}"`);
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      message: 'paid',
      secret: '[hidden]',
      payment: { secrethash: 'f6' },
    });
  });

  it('writes amounts as decimal text', () => {
    const { log, lines } = logged();
    log.warn({ amount: 2n ** 200n }, 'much');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ amount: String(2n ** 200n) });
  });

  it('writes one line without terminal commands for people', () => {
    const { log, lines } = logged({ isJson: false, fields: { node: 'alice' } });
    log.error({ reason: 'a\u001b[2Jb\nc' }, 'trouble');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} ERROR trouble {2}node=alice reason=a \[2Jb c\n$/,
    );
  });

  it('leaves out what is below its level', () => {
    const { log, lines } = logged({ level: 'warn' });
    log.info({}, 'quiet');
    log.warn({}, 'loud');
    expect(lines).toHaveLength(1);
  });
});
