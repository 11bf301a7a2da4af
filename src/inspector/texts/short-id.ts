/** Shortens long hexadecimal numbers in an id, an address or a hash to their first and last four digits. */
export function shortId(id: string): string {
  return id.replace(/0x([0-9a-f]{4})[0-9a-f]{4,}([0-9a-f]{4})/gi, '0x$1…$2');
}
