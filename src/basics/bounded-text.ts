/** Reads the bodies of other servers' answers, which may be of any length. */

/** The body as text. Rejects as soon as it is known to be longer than `limit` bytes. */
export async function boundedText({ body }: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
