/** How a command does its work. */
import { type Command, CommanderError } from 'commander';

/** The code of the error with which a command ends that has done its work. */
export const DONE = 'sluice.done';

/**
 * Makes the command do `work`, with its arguments; the program ends with the exit code that this answers. It reads the
 * options before it imports the modules that use them, so that help and usage errors wait for no library.
 */
export function act<Arguments extends unknown[]>(
  command: Command,
  work: (...given: Arguments) => number | Promise<number>,
): Command {
  // As commander ends a command that has shown its help.
  return command.action(async (...given: Arguments) => {
    throw new CommanderError(await work(...given), DONE, '');
  });
}
