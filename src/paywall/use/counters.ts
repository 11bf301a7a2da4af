/** What is counted of an answer while it passes. The work for a chunk is that of its bytes, and no part of it is kept. */
import { smaller } from '../../basics/amount.ts';
import type { Rate, Unit } from '../price.ts';
import { createEventReader } from './events.ts';
import { createUsageReader, NO_USAGE, tokensOf, type Usage } from './usage.ts';

type Counter = {
  /** How many bytes of the chunk can be paid for: fewer than it has once the most is reached. */
  take(chunk: Uint8Array): number;
  /** `isWhole`: the answer has come to its end. Null: it is not known. */
  count(isWhole: boolean): number | null;
};
export type Meter = {
  take: Counter['take'];
  /** In the token's smallest unit, the most at most. Null: it is not known. */
  cost(isWhole: boolean): bigint | null;
};

/** For an answer that says what it costs when it ends, if at all. */
const UNCOUNTED: Meter = { take: (chunk) => chunk.byteLength, cost: () => null };

export function meterOf(rate: Rate, isEventStream: boolean): Meter {
  if (!('each' in rate)) return UNCOUNTED;
  const { by, each, most } = rate;
  const { take, count } = counterOf(by, Number(most / each), isEventStream);
  return {
    take,
    cost(isWhole) {
      const counted = count(isWhole);
      return counted === null ? null : smaller(each * BigInt(counted), most);
    },
  };
}

function counterOf(unit: Unit, limit: number, isEventStream: boolean): Counter {
  if (unit === 'byte') return countBytes(limit);
  if (unit === 'token') return isEventStream ? countTokensOfEvents() : countTokens();
  // Another answer is one event.
  return isEventStream ? countEvents(limit) : { take: all, count: () => 1 };
}

const all = (chunk: Uint8Array): number => chunk.byteLength;

function countBytes(limit: number): Counter {
  let passed = 0;
  return {
    take({ byteLength }) {
      const fits = Math.min(byteLength, limit - passed);
      passed += fits;
      return fits;
    },
    count: () => passed,
  };
}

function countEvents(limit: number): Counter {
  const reader = createEventReader();
  return {
    take(chunk) {
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at] ?? 0;
        const isFull = !reader.isOpen() && reader.count() >= limit;
        if (isFull && !reader.isPairedBy(byte)) return at;
        reader.take(byte);
      }
      return chunk.length;
    },
    count: () => reader.count(),
  };
}

function countTokens(): Counter {
  const usage = createUsageReader();
  return {
    take(chunk) {
      for (const byte of chunk) usage.take(byte);
      return chunk.byteLength;
    },
    count: () => tokensOf(usage.found()),
  };
}

/** Data of an event that says that it was the last, and has nothing of an answer. */
const LAST = ['[DONE]', '{"type":"message_stop"}'];
const LONGEST_LAST = 64;

/**
 * Some say the parts in different events, and some a first figure in the first: so a stream that is broken off has a count
 * only when nothing has passed since it was said.
 */
function countTokensOfEvents(): Counter {
  const usage = createUsageReader();
  let said: Usage = NO_USAGE;
  let isCurrent = false;
  let head = '';
  const end = () => {
    const found = usage.found();
    usage.reset();
    const { total, input, output } = found;
    said = {
      total: total ?? said.total,
      input: input ?? said.input,
      output: output ?? said.output,
    };
    const isNew = total !== null || input !== null || output !== null;
    if (isNew || !LAST.includes(head)) isCurrent = isNew;
    head = '';
  };
  const data = (byte: number) => {
    usage.take(byte);
    if (byte > 0x20 && head.length <= LONGEST_LAST) head += String.fromCharCode(byte);
  };
  const reader = createEventReader({ data, end });
  return {
    take(chunk) {
      for (const byte of chunk) reader.take(byte);
      return chunk.byteLength;
    },
    count(isWhole) {
      if (isWhole && reader.isOpen()) end();
      return isWhole || (isCurrent && !reader.isOpen()) ? tokensOf(said) : null;
    },
  };
}
