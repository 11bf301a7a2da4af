/**
 * What a process still means to say is what its disk has in the outbox: after each commit, and so after the first one of
 * each process, which knows it from the disk alone. Else it says what nobody knows of after a restart, or keeps silent until
 * then.
 */
import type { Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

export function createUnsaid(): Oracle {
  return {
    written(who, unsaid, rows) {
      const onDisk = new Map(rows.map((row) => [row.key, row]));
      for (const { key, to, queue, message, size } of unsaid) {
        const row = onDisk.get(key);
        onDisk.delete(key);
        const isTheSame =
          row?.messageId === message.messageId &&
          row.recipient === to &&
          row.queue === queue &&
          Buffer.byteLength(row.body) === size;
        if (isTheSame) continue;
        const what = row === undefined ? 'does not know of it' : 'has another message';
        throw new Violation(20, who, `${who} is to say ${key} to ${to}, and its disk ${what}`);
      }
      for (const key of onDisk.keys())
        throw new Violation(20, who, `${who} has ${key} to say on its disk, and will not say it`);
    },
  };
}
