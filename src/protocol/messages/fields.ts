/**
 * Messages as lists of fields: from what is declared once of a field follow its type, how it is read and how it is
 * written. What is read was written by a stranger; the first field that is wrong ends the reading.
 */
import { isRecord } from '../wire/json-text.ts';

/** What is wrong: a path of names, each after a dot, and the words behind it. Filled from the inside to the outside. */
export type Note = { wrong: string };
type Line = Readonly<Record<string, unknown>>;

/** What one field holds. */
export type Kind<T> = {
  /** The field's name in JSON, unless it is that of the property in snake case. */
  readonly name?: string;
  /** Undefined: the value is wrong. */
  read(value: unknown, note: Note): T | undefined;
  /** As JSON text; absent: the value in quotes. */
  write?(value: T): string;
};
type Written<T> = Kind<T> & { write(value: T): string };
export type Kinds<T> = { readonly [K in keyof T]: Kind<T[K]> };

/** Members of an object, in the order in which they are written. */
export type Fields<T> = {
  /** False: a field is wrong, and noted. */
  readInto(from: Line, note: Note, into: Partial<T>): into is T;
  /** JSON text without the braces. */
  write(value: T): string;
};
export type ValueOf<F> = F extends { write(value: infer T): string } ? T : never;

type Values = Record<string, unknown>;

export function fields<T extends object>(kinds: Kinds<T>): Fields<T>;
export function fields(kinds: Kinds<Values>): Fields<Values> {
  const members = Object.entries(kinds).map(([key, kind], at) => {
    const { name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) } = kind;
    return { key, kind, name, start: `${at === 0 ? '' : ','}"${name}":` };
  });
  return {
    readInto(from, note, into): into is Values {
      for (const { key, kind, name } of members) {
        const value = kind.read(from[name], note);
        if (value === undefined) return noteWrong(note, name);
        into[key] = value;
      }
      return true;
    },
    write(value) {
      let text = '';
      for (const { key, kind, start } of members)
        text += start + (kind.write === undefined ? `"${value[key]}"` : kind.write(value[key]));
      return text;
    },
  };
}

/** The fields of each, one after the other. */
export function join<A, B>(first: Fields<A>, then: Fields<B>): Fields<A & B>;
export function join(first: Fields<Values>, then: Fields<Values>): Fields<Values> {
  return {
    readInto: (from, note, into): into is Values =>
      first.readInto(from, note, into) && then.readInto(from, note, into),
    write(value) {
      const rest = then.write(value);
      return rest === '' ? first.write(value) : `${first.write(value)},${rest}`;
    },
  };
}

/** Fields that stand in an object of their own in JSON, and not in the value. */
export function within<T>(name: string, inner: Fields<T>): Fields<T> {
  return {
    readInto(from, note, into): into is T {
      const value = from[name];
      return inner.readInto(isRecord(value) ? value : {}, note, into) || noteWrong(note, name);
    },
    write: (value) => `"${name}":{${inner.write(value)}}`,
  };
}

export function object<T>(inner: Fields<T>): Written<T> {
  return {
    read: (value, note) => readFields(inner, isRecord(value) ? value : {}, note),
    write: (value) => `{${inner.write(value)}}`,
  };
}

/** A list of 1 to `most`. */
export function listOf<T>(item: Written<T>, most: number): Kind<readonly T[]> {
  return {
    read(value, note) {
      if (!Array.isArray(value) || value.length === 0 || value.length > most) return undefined;
      const all: T[] = [];
      for (const one of value) {
        const read = item.read(one, note);
        if (read === undefined) return noteWrong(note, all.length) || undefined;
        all.push(read);
      }
      return all;
    },
    write: (all) => `[${all.map(item.write).join(',')}]`,
  };
}

/** One of several objects: its `type` says which fields it has. */
export type Variants<M> = Written<M[keyof M]> & {
  types: readonly (keyof M)[];
  has(type: unknown): type is keyof M;
};
export function variants<M>(each: { readonly [T in keyof M]: Fields<M[T]> }): Variants<M>;
export function variants(
  each: Readonly<Record<string, Fields<Values>>>,
): Variants<Record<string, Values>> {
  const known = new Map(Object.entries(each));
  const fieldsOf = (type: unknown) => (typeof type === 'string' ? known.get(type) : undefined);
  return {
    types: [...known.keys()],
    has: (type): type is string => fieldsOf(type) !== undefined,
    read(value, note) {
      const from = isRecord(value) ? value : {};
      const inner = fieldsOf(from['type']);
      return inner === undefined
        ? noteWrong(note, 'type') || undefined
        : readFields(inner, from, note);
    },
    write(value) {
      const inner = fieldsOf(value['type']);
      if (inner === undefined) throw new Error('fields: an object of no known type');
      return `{${inner.write(value)}}`;
    },
  };
}

/** The same kind under another name. */
export function named<K extends object>(name: string, kind: K): K & { name: string } {
  return { ...kind, name };
}

/** Notes which field is wrong. */
export function noteWrong(note: Note, name: string | number): false {
  note.wrong = `.${name}${note.wrong}`;
  return false;
}

export const newNote = (): Note => ({ wrong: ' is missing or malformed' });

/** The value of the fields, or undefined. */
export function readFields<T>(list: Fields<T>, from: Line, note: Note): T | undefined {
  const into: Partial<T> = {};
  return list.readInto(from, note, into) ? into : undefined;
}
