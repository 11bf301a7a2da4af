/** Checks values by JSON schema, with the words that an OpenAPI document of ours uses; others throw. */
import * as v from 'valibot';
import type { JsonSchema } from './openapi.ts';

type Check = (schema: JsonSchema, value: unknown) => string | null;
type Word = (given: unknown, value: unknown, whole: Record<string, unknown>) => string | null;

const isSchema = v.union([v.record(v.string(), v.unknown()), v.boolean()]);
const schemas = v.record(v.string(), isSchema);
const schemaOf = (given: unknown): JsonSchema => v.parse(isSchema, given);
const listOf = (given: unknown): JsonSchema[] => v.parse(v.array(isSchema), given);
const namesOf = (given: unknown): string[] => v.parse(v.array(v.string()), given);

/** The fields of an object; none for any other value. */
function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The checker for a document with these named schemas: where a value is wrong and how, or null. */
export function createChecker(named: Record<string, JsonSchema>): Check {
  function first(problems: Iterable<string | null>): string | null {
    for (const problem of problems) if (problem !== null) return problem;
    return null;
  }
  function within(name: string, problem: string | null): string | null {
    return problem === null ? null : `${name}: ${problem}`;
  }
  const good = (given: unknown, value: unknown) =>
    listOf(given).filter((schema) => check(schema, value) === null).length;

  const WORDS: Record<string, Word> = {
    description: () => null,
    examples: () => null,
    default: () => null,
    title: () => null,
    $schema: () => null,
    $ref(given, value) {
      const name = String(given).replace('#/components/schemas/', '');
      return check(named[name] ?? false, value);
    },
    type(given, value) {
      const type = typeOf(value);
      const isIt = type === given || (given === 'number' && type === 'integer');
      return isIt ? null : `${type} is not ${given}`;
    },
    enum: (given, value) => (v.parse(v.array(v.unknown()), given).includes(value) ? null : 'enum'),
    const: (given, value) => (given === value ? null : `is not ${given}`),
    pattern(given, value) {
      if (typeof value !== 'string') return null;
      return new RegExp(String(given)).test(value) ? null : `is not like ${given}`;
    },
    minimum: (given, value) =>
      typeof value === 'number' && value < Number(given) ? `is below ${given}` : null,
    not: (given, value) =>
      check(schemaOf(given), value) === null ? 'is what it must not be' : null,
    anyOf: (given, value) => (good(given, value) > 0 ? null : 'is none of several'),
    oneOf: (given, value) => (good(given, value) === 1 ? null : 'is not exactly one of several'),
    items(given, value) {
      if (!Array.isArray(value)) return null;
      return first(value.map((item, at) => within(String(at), check(schemaOf(given), item))));
    },
    required(given, value) {
      if (typeOf(value) !== 'object') return null;
      const names = entriesOf(value).map(([name]) => name);
      return first(namesOf(given).map((name) => (names.includes(name) ? null : `${name} lacks`)));
    },
    properties(given, value) {
      const properties = new Map(Object.entries(v.parse(schemas, given)));
      return first(
        entriesOf(value).map(([name, field]) =>
          within(name, check(properties.get(name) ?? true, field)),
        ),
      );
    },
    additionalProperties(given, value, { properties = {} }) {
      const known = new Set(Object.keys(v.parse(schemas, properties)));
      const rest = entriesOf(value).filter(([name]) => !known.has(name));
      return first(rest.map(([name, field]) => within(name, check(schemaOf(given), field))));
    },
    propertyNames: (given, value) =>
      first(entriesOf(value).map(([name]) => check(schemaOf(given), name))),
  };

  function check(schema: JsonSchema, value: unknown): string | null {
    if (typeof schema === 'boolean') return schema ? null : 'is not allowed';
    return first(
      Object.entries(schema).map(([word, given]) => {
        const known = WORDS[word];
        if (known === undefined) throw new Error(`no such word: ${word}`);
        return known(given, value, schema);
      }),
    );
  }
  return check;
}
