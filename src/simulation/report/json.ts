/** Writes a result as JSON text, with amounts as decimal strings, and reads it back. */
import * as v from 'valibot';
import { type RunResult, resultSchema } from './results/result.ts';

/** The text ends in a line break, as files do. */
export function writeJson(result: unknown): string {
  return `${JSON.stringify(result, decimalAmounts, 2)}\n`;
}

/** The result, or what is wrong with the text, e.g. "nodes.3.loss: no whole number". */
export function readJson(text: string): RunResult | { problem: string } {
  const parsed = parse(text);
  if (parsed === null) return { problem: 'no JSON' };
  const read = v.safeParse(resultSchema, parsed.value, { abortEarly: true });
  if (read.success) return read.output;
  const [issue] = read.issues;
  const path = v.getDotPath(issue);
  return { problem: path === null ? issue.message : `${path}: ${issue.message}` };
}

/** For `JSON.stringify`: amounts become decimal strings. */
export function decimalAmounts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function parse(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
