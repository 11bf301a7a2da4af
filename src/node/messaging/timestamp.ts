/** The text of a time in milliseconds since 1970, as services exchange it: UTC without a zone. */
export function timestampOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, -1);
}
