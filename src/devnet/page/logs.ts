/** The last lines of each node's log, in memory, for the page of the devnet. */
import type { LogLevel, LogLine, NodeLog } from '../../inspector/devnet-wire.ts';

export type NodeLogs = {
  take(name: string, line: string): void;
  /** What came after the line of this number; all, if the number is of another devnet. */
  after(name: string, seq: number): NodeLog;
};

/** Lines of each node. */
const KEPT = 300;
/** Characters of a line: what a partner or the chain sent may stand in it. */
const LONGEST = 600;
/** How a log for people begins, see the log of the command line. */
const HEAD = /^\d\d:\d\d:\d\d\.\d{3} (INFO|WARN|ERROR)\b/;

/** Null: the line is of no log, such as what a process says of its death. */
export function levelOf(line: string): LogLevel | null {
  switch (HEAD.exec(line)?.[1]) {
    case 'INFO':
      return 'info';
    case 'WARN':
      return 'warn';
    case 'ERROR':
      return 'error';
    default:
      return null;
  }
}

export function createNodeLogs(): NodeLogs {
  const logs = new Map<string, LogLine[]>();
  let last = 0;
  return {
    take(name, line) {
      const lines = logs.get(name) ?? [];
      logs.set(name, lines);
      last += 1;
      lines.push({ seq: last, level: levelOf(line), text: shortened(line.trimEnd()) });
      if (lines.length > KEPT) lines.shift();
    },
    after(name, seq) {
      const lines = logs.get(name) ?? [];
      return { last, lines: seq > last ? lines : lines.filter((line) => line.seq > seq) };
    },
  };
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}
