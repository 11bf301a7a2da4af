/** What is printed of an error that some library has thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
