/** Reads the commands that control the time of a simulation. */
import * as v from 'valibot';
import type { TimeCommand } from '../../inspector/devnet-wire.ts';

const MOST_STEPS = 1e12;
const MOST_BLOCKS_PER_SECOND = 100_000;

const command: v.GenericSchema<unknown, TimeCommand> = v.variant('do', [
  v.strictObject({ do: v.picklist(['step', 'block', 'step_back', 'block_back', 'pause']) }),
  v.strictObject({
    do: v.literal('play'),
    blocksPerSecond: v.pipe(v.number(), v.gtValue(0), v.maxValue(MOST_BLOCKS_PER_SECOND)),
  }),
  v.strictObject({
    do: v.literal('go'),
    step: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(MOST_STEPS)),
  }),
]);

/** Null when the text is no command. */
export function readCommand(text: string): TimeCommand | null {
  try {
    const read = v.safeParse(command, JSON.parse(text));
    return read.success ? read.output : null;
  } catch {
    return null;
  }
}
