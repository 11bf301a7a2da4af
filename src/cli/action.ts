/** How a command does its work. */
import type { Command } from 'commander';

/**
 * Makes the command do `work`, with its arguments; the program ends with the exit code that this answers. It reads the
 * options before it imports the modules that use them, so that help and usage errors wait for no library.
 */
export function act<Arguments extends unknown[]>(
  command: Command,
  work: (...given: Arguments) => Promise<number>,
): Command {
  return command.action(async (...given: Arguments) => process.exit(await work(...given)));
}
