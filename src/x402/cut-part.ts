/** Answers that break off while they can still be asked for again. */

/** Bytes of an answer that a server gives again. */
const LONGEST = 65_536;

/**
 * Waits for an answer that says that it is short. Null: it is whole, or is not waited for; else what has come of it, which
 * breaks off as it did.
 */
export async function cutPart(answer: Response): Promise<Response | null> {
  const length = Number(answer.headers.get('content-length') ?? Number.NaN);
  const reader = length <= LONGEST ? answer.clone().body?.getReader() : undefined;
  const parts: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || value === undefined) return null;
      parts.push(value);
    }
  } catch (error) {
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const part = parts.shift();
          if (part === undefined) controller.error(error);
          else controller.enqueue(part);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, answer);
  }
}
