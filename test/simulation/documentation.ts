/**
 * The documentation of scenario files for people and editors, made from their schema so that it is never out of
 * date.
 */
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { MEASURES } from '../../src/simulation/scenario/schema/expectations.ts';
import { DEFAULT_TOKEN } from '../../src/simulation/scenario/schema/network.ts';
import { PLAN_TEXTS } from '../../src/simulation/scenario/schema/plans.ts';
import { scenarioSchema } from '../../src/simulation/scenario/schema/schema.ts';
import { fileKey, MOST_BLOCKS } from '../../src/simulation/scenario/schema/values.ts';

/** The part of JSON Schema that the scenario's schema uses. */
type Shape = {
  title?: string | undefined;
  description?: string | undefined;
  type?: string | undefined;
  const?: unknown;
  enum?: unknown[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  default?: unknown;
  properties?: Record<string, Shape> | undefined;
  required?: string[] | undefined;
  items?: Shape | undefined;
  oneOf?: Shape[] | undefined;
  anyOf?: Shape[] | undefined;
};
const shape: v.GenericSchema<unknown, Shape> = v.looseObject({
  title: v.optional(v.string()),
  description: v.optional(v.string()),
  type: v.optional(v.string()),
  enum: v.optional(v.array(v.unknown())),
  minimum: v.optional(v.number()),
  maximum: v.optional(v.number()),
  properties: v.optional(
    v.record(
      v.string(),
      v.lazy(() => shape),
    ),
  ),
  required: v.optional(v.array(v.string())),
  items: v.optional(v.lazy(() => shape)),
  oneOf: v.optional(v.array(v.lazy(() => shape))),
  anyOf: v.optional(v.array(v.lazy(() => shape))),
});

/** The JSON Schema of scenario files, for editors. */
function jsonSchema(): Record<string, unknown> {
  const schema = scenarioSchema(DEFAULT_TOKEN.decimals, () => null);
  const plain = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' });
  return { ...v.parse(v.looseObject({}), withFileKeys(plain)), title: 'A scenario of sluice' };
}

/** The text of docs/scenario.schema.json. */
export function jsonSchemaText(): string {
  return `${JSON.stringify(jsonSchema(), null, 2)}\n`;
}

function withFileKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFileKeys);
  if (typeof value !== 'object' || value === null) return value;
  // An empty description would hide a field's title in editors.
  const told = Object.entries(value).filter(([key, held]) => key !== 'description' || held !== '');
  return Object.fromEntries(
    told.map(([key, held]) => {
      if (key === 'properties' || key === 'default') return [key, withFileKeysInside(held)];
      if (key === 'required' && Array.isArray(held))
        return [key, held.map((name) => fileKey(String(name)))];
      return [key, withFileKeys(held)];
    }),
  );
}

/** The keys of this object are names of fields. */
function withFileKeysInside(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [fileKey(key), withFileKeys(held)]),
  );
}

/** Parts that several fields share are described once, by their title. */
type Titled = Map<string, Shape>;

/** The tables of docs/simulation.md: every field, the parts that recur, and the measures. */
function fieldTables(): string {
  const titled: Titled = new Map();
  const rows = rowsOf(v.parse(shape, jsonSchema()), '', titled);
  const parts = [...titled].flatMap(([title, part]) => [
    '',
    `### ${title[0]?.toUpperCase()}${title.slice(1)}`,
    '',
    ...table(rowsOf(part, '', new Map())),
  ]);
  const measures = Object.entries(MEASURES).map(([name, text]) => `| \`${name}\` | ${text} |`);
  const plans = Object.entries(PLAN_TEXTS).map(([name, text]) => `| \`${name}\` | ${text} |`);
  return [
    ...table(rows),
    ...parts,
    '',
    '### Plans of attack',
    '',
    '| plan | what |',
    '| --- | --- |',
    ...plans,
    '',
    '### Measures',
    '',
    '| measure | what |',
    '| --- | --- |',
    ...measures,
  ].join('\n');
}

function table(rows: readonly string[]): string[] {
  return ['| field | value | unless given | what |', '| --- | --- | --- | --- |', ...rows];
}

function rowsOf(part: Shape, path: string, titled: Titled): string[] {
  const own = Object.entries(part.properties ?? {}).flatMap(([key, field]) =>
    fieldRows(field, {
      path: path === '' ? key : `${path}.${key}`,
      titled,
      isRequired: isRequired(part, key),
    }),
  );
  return [...own, ...(part.oneOf ?? []).flatMap((option) => optionRows(option, path, titled))];
}

function isRequired(part: Shape, key: string): boolean {
  return part.required?.includes(key) ?? false;
}

type Field = { path: string; titled: Titled; isRequired: boolean };

/** The row of a field, and below it the rows of its inner fields. */
function fieldRows(field: Shape, { path, titled, isRequired }: Field): string[] {
  const inner = unwrapped(field);
  const item = inner.items === undefined ? null : unwrapped(inner.items);
  const held = item ?? inner;
  const absent = isRequired ? '**must be given**' : absentText(field.default);
  const value = item === null ? valueText(inner) : `list of ${valueText(item)}`;
  const what = field.description ?? inner.description ?? '';
  const row = `| \`${path}\` | ${value} | ${absent} | ${what} |`;
  if (isPart(held)) {
    titled.set(held.title ?? '', held);
    return [row];
  }
  return [row, ...rowsOf(held, item === null ? path : `${path}[]`, titled)];
}

/** One of the kinds that an object may be, in one row, as it has few fields. */
function optionRows(option: Shape, path: string, titled: Titled): string[] {
  const entries = Object.entries(option.properties ?? {});
  const tag = entries.find(([, field]) => field.const !== undefined || field.enum !== undefined);
  if (tag === undefined) return [];
  const [key, { const: only, title, description }] = tag;
  const name = title ?? `\`${String(only)}\``;
  const fields = entries.filter(([name]) => name !== key);
  const told = fields.map(([name, field]) => {
    const inner = unwrapped(field);
    if (isPart(inner)) titled.set(inner.title ?? '', inner);
    const what = field.description ?? inner.description;
    const absent = isRequired(option, name) ? '' : `, else ${absentText(field.default)}`;
    return `\`${name}\`: ${valueText(inner)}${absent}${what === undefined ? '' : ` (${what})`}`;
  });
  return [
    `| ${path === '' ? '' : `\`${path}\` `}${key} ${name} | ${told.join('<br>') || '—'} | | ${description ?? ''} |`,
  ];
}

/** The field's schema without null. */
function unwrapped(field: Shape): Shape {
  const others = field.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const [only] = others;
  return only !== undefined && others.length === 1 ? only : field;
}

/**
 * Whether the field is a shared part: it has a title and fields. (Amounts and selections have titles but no
 * fields.)
 */
function isPart(field: Shape): boolean {
  return field.title !== undefined && (field.properties ?? field.oneOf) !== undefined;
}

function absentText(value: unknown): string {
  if (value === null || value === undefined) return '—';
  if (Array.isArray(value) && value.length === 0) return 'none';
  if (typeof value === 'object')
    return Object.keys(value).length === 0 ? 'as below' : objectText(value);
  return `\`${String(value)}\``;
}

function objectText(value: object): string {
  const fields = Object.entries(value).map(([key, held]) => `${key}: ${String(held)}`);
  return `\`{ ${fields.join(', ')} }\``;
}

function valueText(field: Shape): string {
  if (field.title !== undefined) return titleText(field.title, field);
  if (field.const !== undefined) return `\`${String(field.const)}\``;
  if (field.enum !== undefined) return field.enum.map((word) => `\`${String(word)}\``).join(', ');
  if (field.anyOf !== undefined) return field.anyOf.map(valueText).join(', or ');
  if (field.oneOf !== undefined) return 'object, as below';
  if (field.properties !== undefined) return 'object with fields';
  if (field.type === 'array') return `list of ${valueText(unwrapped(field.items ?? {}))}`;
  if (field.type === 'integer') return `whole number, ${boundsText(field)}`;
  if (field.type === 'number') return `number, ${boundsText(field)}`;
  return field.type === 'boolean' ? '`true` or `false`' : 'text';
}

/** Bounds are only shown where somebody might reach them. */
function titleText(title: string, field: Shape): string {
  const isBounded = title === 'parts per million' || title === 'blocks';
  return isBounded && field.maximum !== MOST_BLOCKS ? `${title}, ${boundsText(field)}` : title;
}

function boundsText({ minimum, maximum }: Shape): string {
  return `${minimum ?? ''} to ${maximum ?? ''}`;
}

const BEGIN = '<!-- Made from the schema by "npm run docs:scenarios". -->';
const END = '<!-- End of what is made. -->';

/** The page with its tables replaced by new ones. */
export function withTables(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error('docs/simulation.md has lost the place of its tables');
  return `${page.slice(0, begin)}${BEGIN}\n\n${fieldTables()}\n\n${page.slice(end)}`;
}
