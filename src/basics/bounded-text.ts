/** Reads the bodies of other servers' answers, which may be of any length. */

/** The body as text. Rejects as soon as it is known to be longer than `limit` bytes. Also for browsers. */
export async function boundedText({ body }: Response, limit: number): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) return text + decoder.decode();
    size += value.byteLength;
    if (size > limit) {
      void reader?.cancel();
      throw new Error('the answer is too large');
    }
    text += decoder.decode(value, { stream: true });
  }
}
