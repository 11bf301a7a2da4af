/** A part of an address, unescaped; empty when it is not well escaped. */
export function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
