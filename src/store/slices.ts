/**
 * A long answer in parts that are short work each: a slice is read when it is asked for, and holds the thread
 * for a few milliseconds. The rows are those of the moment of the question, however late they are read. A
 * slice may be empty before the end: the reader gets the chance to let others work. A read that fails throws.
 */
export type Slices<T> = Iterable<T[]>;
