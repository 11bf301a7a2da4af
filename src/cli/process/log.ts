/** The log: one line per entry on standard error, for people or as JSON. */
import { pino } from 'pino';
import type { Log } from '../../basics/environment.ts';
import type { LOG_LEVELS } from '../options/node-options.ts';
import { cleanFields, cleanText } from './redact.ts';
import { session } from './session.ts';

export type LogOptions = {
  level: (typeof LOG_LEVELS)[number];
  isJson: boolean;
  /** Fields that are added to every entry, e.g. `{ node: 'alice' }`. */
  fields?: Record<string, unknown>;
  write?: (line: string) => void;
};

/** Creates the log. What redact.ts hides is never written, in fields or sentences. */
export function createLog({ level, isJson, fields = {}, write = toSession() }: LogOptions): Log {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (name) => ({ level: name }),
        log: (entry) => ({ ...fields, ...cleanFields(entry) }),
      },
    },
    { write: (line: string) => write(isJson ? line : forPeople(line)) },
  );
  return {
    info: (entry, text) => logger.info(entry, cleanText(text)),
    warn: (entry, text) => logger.warn(entry, cleanText(text)),
    error: (entry, text) => logger.error(entry, cleanText(text)),
  };
}

function toSession(): (line: string) => void {
  const { err } = session();
  return (line) => void err.write(line);
}

/** `12:30:01.250 WARN  text  key=value`, without characters that a terminal would obey. */
function forPeople(line: string): string {
  const { level, time, message, ...rest } = Object(JSON.parse(line));
  const fields = Object.entries(rest).map(([key, value]) => {
    return `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const clock = String(time).slice(11, 23);
  const head = `${clock} ${String(level).toUpperCase().padEnd(5)} ${message}`;
  const all = fields.length === 0 ? head : `${head}  ${fields.join(' ')}`;
  return `${printable(all)}\n`;
}

function printable(given: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  return given.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ');
}
