/** Calls the program, in this process. */
import { Command, CommanderError } from 'commander';
import { commandsOf } from './commands.ts';
import { DONE } from './process/action.ts';
import { session } from './process/session.ts';
import { unexpected } from './process/uncaught.ts';
import { version } from './process/version.ts';

/** `main`: the file with which this program was started. */
function sluice(main: string): Command {
  const program = new Command('sluice')
    .description('a payment-channel node: deposit ERC-20 tokens, pay off chain, settle on chain')
    .version(version())
    // A subcommand may have an option of the same name as its parent command.
    .enablePositionalOptions();
  for (const command of commandsOf(main)) program.addCommand(command);
  return program;
}

/** Lets a command end by an error, and write where the session says. */
function prepare(command: Command): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void session().out.write(text),
    writeErr: (text) => void session().err.write(text),
  });
  for (const one of command.commands) prepare(one);
}

/**
 * Does what these arguments ask for; answers the exit code. A refused command line has code 2, because 1 says that the
 * command itself failed.
 */
export async function call(args: readonly string[], main: string): Promise<number> {
  const program = sluice(main);
  prepare(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) return unexpected(error);
    const { code, exitCode } = error;
    return code === DONE || exitCode === 0 ? exitCode : 2;
  }
}
