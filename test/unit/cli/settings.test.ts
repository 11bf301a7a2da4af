import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  declare,
  defaulting,
  defaultingFlag,
  flag,
  optional,
  paired,
  repeatable,
  required,
  type Setting,
  valuesOf,
} from '../../../src/cli/options/settings.ts';
import { bigNumber, text, texts, wholeNumber } from '../../../src/cli/options/values.ts';
import { LateCommand } from '../../../src/cli/process/late-command.ts';

const PORT = defaulting('--api-port <n>', 'a port', wholeNumber(0, 65_535), '5001');
const NAME = optional('--name <name>', 'a name', text);
const URL_NEEDED = required('--rpc-url <url>', 'needed', text);
const LOUD = flag('--loud', 'say more');
const NO_ECHO = flag('--no-echo', 'without one');
const HOOKS = repeatable('--hook <url>', 'who is called', texts);
const FEES = paired(
  '--fee <token> <amount...>',
  'what a token costs',
  v.pipe(
    text,
    v.transform((given) => new Map(given.split(',').map((pair) => [pair, true]))),
  ),
);
const CAP = defaultingFlag('--cap', 'hold back');
const AMOUNT = optional('--amount <n>', 'units', bigNumber(0n, 2n ** 256n - 1n));

const OPTIONS = { PORT, NAME, URL_NEEDED, LOUD, NO_ECHO, AMOUNT, HOOKS, prices: { FEES, CAP } };

type Given = { flags?: string[]; environment?: Record<string, string>; file?: string };

/** Reads one setting of a command that was called with these; or what it complained of. */
function read<T>(setting: Setting<T>, { flags = [], environment = {}, file }: Given = {}) {
  let complaint = '';
  const command = declare(new LateCommand('test'), OPTIONS)
    .exitOverride()
    .configureOutput({
      writeErr: (line) => {
        complaint += line;
      },
    });
  try {
    command.parse([...flags, ...(file === undefined ? [] : ['--config', fileWith(file)])], {
      from: 'user',
    });
    return { value: valuesOf(command, { setting }, environment).setting };
  } catch {
    return { complaint };
  }
}

function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'options.toml');
  writeFileSync(file, content);
  return file;
}

const flags = ['--api-port', '1'];
const environment = { SLUICE_API_PORT: '2' };
const file = 'api-port = 3';

describe('a setting', () => {
  it.each([
    ['the flag before everything', { flags, environment, file }, 1],
    ['the flag before the file', { flags, file }, 1],
    ['the environment before the file', { environment, file }, 2],
    ['the environment before the default', { environment }, 2],
    ['the file before the default', { file }, 3],
    ['the file as text, too', { file: 'api-port = "3"' }, 3],
    ['the default', {}, 5001],
  ])('takes %s', (_, given, value) => {
    expect(read(PORT, given)).toEqual({ value });
  });

  it.each([
    [{}, []],
    [{ flags: ['--hook', 'a'] }, ['a']],
    [{ flags: ['--hook', 'a', '--hook', 'b,c'] }, ['a', 'b', 'c']],
    [{ environment: { SLUICE_HOOK: 'd,e' } }, ['d', 'e']],
  ])('that is a list takes all of %j', (given, value) => {
    expect(read(HOOKS, given)).toEqual({ value });
  });

  it.each([
    [{}, []],
    [{ flags: ['--fee', 'a', '5'] }, ['a=5']],
    [{ flags: ['--fee', 'a', '5', '--loud', '--fee', 'b', '6'] }, ['a=5', 'b=6']],
    [{ flags: ['--fee', 'a', '5', 'b', '6'] }, ['a=5', 'b=6']],
    [{ flags: ['--fee', 'a'] }, ['a']],
    [{ environment: { SLUICE_FEE: 'a=5,b=6' } }, ['a=5', 'b=6']],
    [{ file: 'fee = "a=5"' }, ['a=5']],
  ])('of two words takes both of %j', (given, value) => {
    const pairs = value.map((pair): [string, boolean] => [pair, true]);
    expect(read(FEES, given)).toEqual({ value: new Map(pairs) });
  });

  it.each([
    [{}, true],
    [{ flags: ['--cap'] }, true],
    [{ flags: ['--no-cap'] }, false],
    [{ flags: ['--no-cap', '--cap'] }, true],
    [{ flags: ['--cap'], environment: { SLUICE_CAP: 'false' } }, true],
    [{ environment: { SLUICE_CAP: 'false' } }, false],
    [{ file: 'cap = false' }, false],
  ])(
    'that is on by default is turned off only by its own flag, variable or line: %j',
    (given, value) => {
      expect(read(CAP, given)).toEqual({ value });
    },
  );

  it('takes a flag that equals the default before the environment', () => {
    expect(read(PORT, { flags: ['--api-port', '5001'], environment })).toEqual({ value: 5001 });
  });

  it('is null when it has no default and is given nowhere', () => {
    expect(read(NAME)).toEqual({ value: null });
  });

  it('finds the file that the environment names', () => {
    const SLUICE_CONFIG = fileWith('name = "alice"');
    expect(read(NAME, { environment: { SLUICE_CONFIG } })).toEqual({ value: 'alice' });
  });

  it('keeps every digit of a whole number in the file', () => {
    const given = { file: 'amount = 9007199254740993' };
    expect(read(AMOUNT, given)).toEqual({ value: 9_007_199_254_740_993n });
  });

  it.each([
    ['is off', {}, false],
    ['is on by its flag', { flags: ['--loud'] }, true],
    ['is on by the environment', { environment: { SLUICE_LOUD: '1' } }, true],
    ['is off by the environment', { environment: { SLUICE_LOUD: 'false' } }, false],
    ['is on by the file', { file: 'loud = true' }, true],
    [
      'is off by the environment, although the file turns it on',
      {
        environment: { SLUICE_LOUD: 'false' },
        file: 'loud = true',
      },
      false,
    ],
  ])('without a value %s', (_, given, value) => {
    expect(read(LOUD, given)).toEqual({ value });
  });

  it.each([
    ['is off', {}, false],
    ['is on by its flag', { flags: ['--no-echo'] }, true],
    ['is on by the environment', { environment: { SLUICE_NO_ECHO: '1' } }, true],
    ['is on by the file', { file: 'no-echo = true' }, true],
  ])('whose name begins with "no" %s', (_, given, value) => {
    expect(read(NO_ECHO, given)).toEqual({ value });
  });
});

describe('a setting that cannot be used', () => {
  it.each<[string, Setting<unknown>, Given, string]>([
    [
      'is missing',
      URL_NEEDED,
      {},
      '--rpc-url is missing: give it as a flag, as SLUICE_RPC_URL in the environment, or as rpc-url in the --config file',
    ],
    [
      'is turned off in the file by a name that only flags have',
      CAP,
      { file: 'no-cap = true' },
      'no-cap is not an option',
    ],
    [
      'is wrong as a flag',
      PORT,
      { flags: ['--api-port', '99999'] },
      '--api-port must be a whole number from 0 to 65535',
    ],
    [
      'is wrong in the environment',
      PORT,
      { environment: { SLUICE_API_PORT: 'x' } },
      'SLUICE_API_PORT must be a whole number',
    ],
    [
      'is wrong in the file',
      PORT,
      { file: 'api-port = -1' },
      'api-port in the --config file must be a whole number',
    ],
    ['is empty', NAME, { environment: { SLUICE_NAME: '' } }, 'SLUICE_NAME must not be empty'],
    [
      'is neither on nor off',
      LOUD,
      { environment: { SLUICE_LOUD: 'yes' } },
      'SLUICE_LOUD must be true or false',
    ],
    ['is not an option', PORT, { file: 'api-prot = 3' }, 'api-prot is not an option of "test"'],
    [
      'is a table',
      PORT,
      { file: '[api-port]\nx = 1' },
      'api-port must be a text, a number, true or false',
    ],
    ['is not TOML', PORT, { file: 'api-port = \nx' }, 'is not TOML: see line 1'],
    [
      'is in a file that is not there',
      PORT,
      { environment: { SLUICE_CONFIG: '/no/such' } },
      'the --config file cannot be read',
    ],
  ])('is named when it %s', (_, setting, given, complaint) => {
    expect(read(setting, given).complaint).toContain(complaint);
  });

  it('is not repeated, because it may be a secret', () => {
    const { complaint } = read(PORT, { environment: { SLUICE_API_PORT: 'hunter2' } });
    expect(complaint).toContain('SLUICE_API_PORT');
    expect(complaint).not.toContain('hunter2');
  });
});
