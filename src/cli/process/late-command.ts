/** A command that costs little until it is called. */
import { Command, type HelpContext } from 'commander';

/**
 * Declares most of its options when it is called or asked for help: all commands together have hundreds, and each run of
 * the program needs those of one.
 */
export class LateCommand extends Command {
  #declareRest: (() => void) | null = null;

  /** `declareRest` adds options; it is called once, before anybody looks for them. */
  whenCalled(declareRest: () => void): this {
    this.#declareRest = declareRest;
    return this;
  }

  /** Declares the options that are left. */
  complete(): this {
    this.#declareRest?.();
    this.#declareRest = null;
    return this;
  }

  override parseOptions(argv: string[]) {
    this.complete();
    return super.parseOptions(argv);
  }

  override helpInformation(context?: HelpContext): string {
    this.complete();
    return super.helpInformation(context);
  }
}
