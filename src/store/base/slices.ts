/**
 * A long answer in slices. Each slice is read when it is asked for, and occupies the thread for only a few
 * milliseconds. The rows are those of the moment of the question, however late they are read. A slice may be empty
 * before the end, so that the reader can let others work. A read that fails throws.
 */
export type Slices<T> = Iterable<T[]>;
