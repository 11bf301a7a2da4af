/**
 * The options of a command, each declared once: in a record, by the name under which its value is used. From it follow what
 * commander takes and shows in the help, the names in the environment (`SLUICE_…`) and in the TOML file of `--config`, and
 * the type of the values. A flag counts before the environment, that before the file, and that before the default; all
 * four are text that one schema reads.
 */
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { parse, TomlError } from 'smol-toml';
import * as v from 'valibot';
import { messageOf } from '../../basics/message-of.ts';
import { act } from '../process/action.ts';
import type { LateCommand } from '../process/late-command.ts';
import { session } from '../process/session.ts';

/** Reads a text; its messages are put after the option's name and never repeat a value. */
export type Schema<T> = v.GenericSchema<string, T>;
export type Setting<T> = {
  /** In commander's notation: `--nats <url>`, or `--log-json` for an option without a value. */
  flags: string;
  description: string;
  schema: Schema<T>;
  /** The default when it is given nowhere: text as a person would write it, or a value; `required`: there is none. */
  absent: { text: string } | { value: T } | 'required';
  /** Its text is a comma list; giving the flag several times adds to the list. */
  isRepeatable?: true;
  /** Each flag takes two words, which become `first=second` in the list. */
  isPaired?: true;
  /** It can be turned off by `--no-` before its name. */
  isNegatable?: true;
};

/** An option that must be given. */
export function required<T>(flags: string, description: string, schema: Schema<T>): Setting<T> {
  return { flags, description, schema, absent: 'required' };
}

/** An option that is null when it is not given. */
export function optional<T>(
  flags: string,
  description: string,
  schema: Schema<T>,
): Setting<T | null> {
  return { flags, description, schema, absent: { value: null } };
}

/** A comma list. Empty when it is not given. */
export function list<T>(flags: string, description: string, schema: Schema<T[]>): Setting<T[]> {
  return { flags, description, schema, absent: { value: [] } };
}

/** As `list`; its flag may be given several times. */
export function repeatable<T>(
  flags: string,
  description: string,
  schema: Schema<T[]>,
): Setting<T[]> {
  return { ...list(flags, description, schema), isRepeatable: true };
}

/** An option with the default `text`, which is shown in the help. */
export function defaulting<T>(
  flags: string,
  description: string,
  schema: Schema<T>,
  text: string,
): Setting<T> {
  return { flags, description, schema, absent: { text } };
}

/** A flag without a value; `true` or `false` in the environment and in the file. */
export function flag(flags: string, description: string): Setting<boolean> {
  return { flags, description, schema: yesOrNo, absent: { value: false } };
}

/** A comma list of `first=second`; its flag takes the two words and may be given several times. */
export function paired<K, T>(
  flags: string,
  description: string,
  schema: Schema<ReadonlyMap<K, T>>,
): Setting<ReadonlyMap<K, T>> {
  return { flags, description, schema, absent: { value: new Map() }, isPaired: true };
}

/** As `flag`, but on by default; `--no-` before its name turns it off. */
export function defaultingFlag(flags: string, description: string): Setting<boolean> {
  return { flags, description, schema: yesOrNo, absent: { value: true }, isNegatable: true };
}

const yesOrNo = v.pipe(
  v.string(),
  v.picklist(['true', 'false', '1', '0'], 'must be true or false'),
  v.transform((text) => text === 'true' || text === '1'),
);

/** The options of a command; some stand together in a record of their own. */
export type Options = { readonly [name: string]: Setting<unknown> | Options };
export type Values<O> = {
  readonly [K in keyof O]: O[K] extends Setting<infer T> ? T : Values<O[K]>;
};
/**
 * For `satisfies`, where some values are handed on as they are: it does not compile when one of them reaches nothing,
 * because `Taker` has no such name. What takes values by their names hands on the rest to `Nothing`.
 */
export type HandedOn<Rest, Taker> = {
  [K in keyof Rest]: K extends keyof Taker ? Rest[K] : never;
};
export type Nothing = Record<string, never>;

const CONFIG = optional('--config <file>', 'TOML file with options of this command', v.string());

/**
 * Makes the command do `work` with the values of its options, and its arguments. The options `others` are accepted, too, so
 * that commands can share a file; they are not shown in the help.
 */
export function actWith<O extends Options, Arguments extends unknown[]>(
  command: LateCommand,
  options: O,
  work: (values: Values<O>, ...given: Arguments) => number | Promise<number>,
  others: Options = {},
): Command {
  declare(command, options, others);
  return act(command, (...given: Arguments) => work(valuesOf(command, options), ...given));
}

/** Adds the options to the command, and `--config`. */
export function declare(command: LateCommand, options: Options, others: Options = {}): LateCommand {
  const [first = CONFIG, ...rest] = [...settingsIn(options), CONFIG];
  // One option at once: lists of commands show whether a command has any.
  for (const option of optionsOf(first)) command.addOption(option);
  command.whenCalled(() => {
    for (const option of rest.flatMap(optionsOf)) command.addOption(option);
    const declared = new Set(command.options.map(({ flags }) => flags));
    for (const option of settingsIn(others).flatMap(optionsOf))
      if (!declared.has(option.flags)) command.addOption(option.hideHelp());
  });
  return command.addHelpText(
    'after',
    '\nEvery option can also be set in the environment (--log-level as SLUICE_LOG_LEVEL) or in the file of\n' +
      '--config (log-level = "debug"). A flag counts before the environment, and that before the file.',
  );
}

function isSetting(one: Setting<unknown> | Options): one is Setting<unknown> {
  return typeof one['flags'] === 'string';
}

function settingsIn(options: Options): Setting<unknown>[] {
  return Object.values(options).flatMap((one) => (isSetting(one) ? one : settingsIn(one)));
}

/** The options of commander for a setting: its flag, and the one that turns it off. */
function optionsOf(setting: Setting<unknown>): Option[] {
  const { flags, description, absent } = setting;
  const isShown = typeof absent === 'object' && 'text' in absent;
  const hint = isShown ? ` (default: ${absent.text})` : absent === 'required' ? ' (required)' : '';
  const option = new Option(flags, description + hint);
  if (setting.isPaired === true) return [option.argParser(joinedPair)];
  if (setting.isRepeatable === true) return [option.argParser(joined)];
  if (setting.isNegatable !== true) return [option];
  return [option, new Option(flags.replace('--', '--no-'), `turns --${nameOf(flags)} off`)];
}

function joined(given: string, before: unknown): string {
  return before === undefined ? given : `${String(before)},${given}`;
}

/** Joins the words that commander passes one by one, for all flags of the name. */
function joinedPair(given: string, before: unknown): string {
  const isSecond =
    typeof before === 'string' && !before.slice(before.lastIndexOf(',') + 1).includes('=');
  return isSecond ? `${before}=${given}` : joined(given, before);
}

type Environment = Record<string, string | undefined>;
/** The options in the file of --config, by name, as text. */
type FileOptions = ReadonlyMap<string, string>;

/**
 * Reads the options of a parsed command. An invalid value ends the command with a usage error that names where it was
 * given, and never repeats it: it may be a secret.
 */
export function valuesOf<O extends Options>(
  command: Command,
  options: O,
  environment?: Environment,
): Values<O>;
export function valuesOf(
  command: Command,
  options: Options,
  environment: Environment = session().environment,
): Readonly<Record<string, unknown>> {
  const places = (name: string, file: FileOptions) => [
    { text: flagText(command, name), from: `--${name}` },
    { text: environment[variableOf(name)] ?? null, from: variableOf(name) },
    { text: file.get(name) ?? null, from: `${name} in the --config file` },
  ];
  const read = <T>(setting: Setting<T>, file: FileOptions): T => {
    const name = nameOf(setting.flags);
    const given = places(name, file).find(({ text }) => text !== null);
    if (given === undefined) return absentValue(command, setting, name);
    return checked(command, setting.schema, { text: given.text ?? '', from: given.from });
  };
  const path = read(CONFIG, new Map());
  const file = path === null ? new Map<string, string>() : fileOptions(command, path);
  const readAll = (group: Options): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(group).map(([name, one]) => [
        name,
        isSetting(one) ? read(one, file) : readAll(one),
      ]),
    );
  return readAll(options);
}

/** Ends the command with a usage error. */
export function usageError(command: Command, message: string): never {
  command.error(`error: ${message}`, { exitCode: 2, code: 'sluice.usage' });
}

function absentValue<T>(command: Command, { absent, schema }: Setting<T>, name: string): T {
  if (absent === 'required')
    usageError(
      command,
      `--${name} is missing: give it as a flag, as ${variableOf(name)} in the environment, or as ${name} in the --config file`,
    );
  return 'value' in absent
    ? absent.value
    : checked(command, schema, { text: absent.text, from: `the default of --${name}` });
}

function checked<T>(
  command: Command,
  schema: Schema<T>,
  { text, from }: { text: string; from: string },
): T {
  const parsed = v.safeParse(schema, text);
  if (parsed.success) return parsed.output;
  return usageError(command, `${from} ${parsed.issues[0].message}`);
}

function flagText(command: Command, name: string): string | null {
  const given = (option: string): unknown =>
    command.getOptionValue(
      option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    );
  // Commander stores --no-x as the option x with the value false.
  if (name.startsWith('no-')) return given(name.slice('no-'.length)) === false ? 'true' : null;
  const value = given(name);
  return value === undefined ? null : String(value);
}

function nameOf(flags: string): string {
  return /--([a-z-]+)/.exec(flags)?.[1] ?? '';
}

function variableOf(name: string): string {
  return `SLUICE_${name.replaceAll('-', '_').toUpperCase()}`;
}

function fileOptions(command: Command, path: string): FileOptions {
  const known = new Set(command.options.map(({ long }) => long?.slice(2)));
  // The file has no `no-…` names: it turns an option off by its own name and the value false.
  for (const name of known) known.delete(`no-${name}`);
  const options = new Map<string, string>();
  for (const [name, value] of Object.entries(tomlTable(command, path))) {
    if (!known.has(name) || name === 'config')
      usageError(command, `${path}: ${name} is not an option of "${command.name()}"`);
    if (typeof value === 'object')
      usageError(command, `${path}: ${name} must be a text, a number, true or false`);
    options.set(name, String(value));
  }
  return options;
}

function tomlTable(command: Command, path: string): Record<string, unknown> {
  try {
    return parse(readFileSync(path, 'utf8'), { integersAsBigInt: true });
  } catch (error) {
    if (error instanceof TomlError)
      usageError(command, `${path} is not TOML: see line ${error.line}, column ${error.column}`);
    return usageError(command, `the --config file cannot be read: ${messageOf(error)}`);
  }
}
