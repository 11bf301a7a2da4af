/** The options of commands about a database that need no running node. */
import { NODE_OPTIONS } from './node-options.ts';
import { defaulting, flag, optional, required, type Values } from './settings.ts';
import { date, oneOf, text } from './values.ts';

/** `database`: the database itself; the others choose among those of this user. */
const DATABASE = {
  database: NODE_OPTIONS.database,
  address: NODE_OPTIONS.key.address,
  networkId: NODE_OPTIONS.networkId,
};
export type DatabaseChoice = Values<typeof DATABASE>;

export const JSON_OUTPUT = flag('--json', 'print the result as JSON');

export const BACKUP_OPTIONS = {
  choice: DATABASE,
  output: required('--output <file>', 'the file to write; it must not be there', text),
  isJson: JSON_OUTPUT,
};

export const EXPORT_OPTIONS = {
  choice: DATABASE,
  format: defaulting(
    '--format <format>',
    'jsonl: an object of the API on each line; csv: a table with a line of names',
    oneOf(['jsonl', 'csv']),
    'jsonl',
  ),
  before: optional(
    '--before <date>',
    'only payments that ended before this day or moment, in UTC (default: all)',
    date,
  ),
};
