/**
 * Whether a value has a valibot shape, told without what valibot makes for it: a record for each field and a copy of
 * the whole value. That takes most of the time in which a node reads its actors.
 */
import * as v from 'valibot';

type Test = (value: unknown) => boolean;
type Fields = Record<string, unknown>;

const tests = new WeakMap<v.GenericSchema, Test>();

/**
 * True only when valibot finds nothing wrong with the value. False says nothing, since some shapes are not known
 * here: then valibot has to be asked, and words the error.
 */
export function surelyFits(shape: v.GenericSchema, value: unknown): boolean {
  return testOf(shape)(value);
}

function testOf(shape: v.GenericSchema): Test {
  const known = tests.get(shape);
  if (known !== undefined) return known;
  const test = ('pipe' in shape ? pipeTest(shape.pipe) : plainTest(shape)) ?? askValibot(shape);
  tests.set(shape, test);
  return test;
}

const askValibot =
  (shape: v.GenericSchema): Test =>
  (value) =>
    v.is(shape, value);

/** Null for a shape that only valibot can judge. */
function plainTest(shape: v.GenericSchema): Test | null {
  switch (shape.type) {
    case 'string':
    case 'bigint':
    case 'boolean':
      return (value) => typeof value === shape.type;
    case 'number':
      return (value) => typeof value === 'number' && !Number.isNaN(value);
    case 'custom':
      return 'check' in shape && isTest(shape.check) ? shape.check : null;
    case 'picklist':
      return 'options' in shape ? picklistTest(shape.options) : null;
    case 'nullable':
      return nullableTest(shape);
    case 'array':
      return 'item' in shape && isShape(shape.item) ? arrayTest(shape.item) : null;
    case 'union':
      return 'options' in shape ? unionTest(shape.options) : null;
    case 'lazy':
      return 'getter' in shape && isGetter(shape.getter) ? lazyTest(shape.getter) : null;
    case 'record':
      return recordTest(shape);
    case 'object':
      return 'entries' in shape && isFields(shape.entries) ? objectTest(shape.entries) : null;
    default:
      return null;
  }
}

/** An unsigned integer is a bigint with a least value; nothing else in a stored shape has conditions. */
function pipeTest(pipe: unknown): Test | null {
  if (!Array.isArray(pipe) || pipe.length !== 2) return null;
  const [shape, action]: unknown[] = pipe;
  if (!isShape(shape) || shape.type !== 'bigint' || !isFields(action)) return null;
  const { kind, type, requirement: least } = action;
  if (kind !== 'validation' || type !== 'min_value' || typeof least !== 'bigint') return null;
  return (value) => typeof value === 'bigint' && value >= least;
}

function picklistTest(options: unknown): Test | null {
  if (!Array.isArray(options)) return null;
  const words = new Set<unknown>(options);
  return (value) => words.has(value);
}

function nullableTest(shape: v.GenericSchema): Test | null {
  if (!('wrapped' in shape) || !isShape(shape.wrapped)) return null;
  // A default would take the place of null, and be judged instead.
  if ('default' in shape && shape.default !== undefined) return null;
  const test = testOf(shape.wrapped);
  return (value) => value === null || test(value);
}

function arrayTest(item: v.GenericSchema): Test {
  const test = testOf(item);
  return (value) => {
    if (!Array.isArray(value)) return false;
    // `every` would pass over what is missing in the middle.
    for (let index = 0; index < value.length; index++) if (!test(value[index])) return false;
    return true;
  };
}

function unionTest(options: unknown): Test | null {
  if (!Array.isArray(options) || !options.every(isShape)) return null;
  const ways = options.map(testOf);
  return (value) => ways.some((test) => test(value));
}

/** The shape is asked for at each value: it may contain itself. */
function lazyTest(shapeOf: (value: unknown) => unknown): Test {
  return (value) => {
    const shape = shapeOf(value);
    return isShape(shape) && testOf(shape)(value);
  };
}

function recordTest(shape: v.GenericSchema): Test | null {
  if (!('key' in shape && isShape(shape.key) && 'value' in shape && isShape(shape.value)))
    return null;
  const [testKey, testField] = [testOf(shape.key), testOf(shape.value)];
  return (value) => {
    if (!isFields(value)) return false;
    for (const key in value) if (!testKey(key) || !testField(value[key])) return false;
    return true;
  };
}

function objectTest(entries: Fields): Test | null {
  const fields: { key: string; test: Test }[] = [];
  for (const [key, shape] of Object.entries(entries)) {
    if (!isShape(shape)) return null;
    fields.push({ key, test: testOf(shape) });
  }
  return (value) => {
    if (!isFields(value)) return false;
    for (const { key, test } of fields) {
      const field = value[key];
      if (!test(field) || (field === undefined && !(key in value))) return false;
    }
    return true;
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isShape(value: unknown): value is v.GenericSchema {
  return isFields(value) && value['kind'] === 'schema';
}

function isTest(value: unknown): value is Test {
  return typeof value === 'function';
}

function isGetter(value: unknown): value is (value: unknown) => unknown {
  return typeof value === 'function';
}
