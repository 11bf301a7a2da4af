/** A field that only some kinds of events have; undefined where there is none. */
export function factOf(event: object, name: string): unknown {
  return Object.entries(event).find(([key]) => key === name)?.[1];
}
