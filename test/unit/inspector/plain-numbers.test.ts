import { describe, expect, it } from 'vitest';
import { jsonOf, plainResponse } from '../../../src/inspector/replay/plain-numbers.ts';

const TRICKY = '{"$bigint":"5"}';

describe('numbers for programs', () => {
  it('are decimal strings wherever they stand, and text stays what it is', () => {
    const value = { block: 77n, rows: [-1n, { text: TRICKY, amount: 0n }], seq: 3 };
    expect(JSON.parse(jsonOf(value))).toEqual({
      block: '77',
      rows: ['-1', { text: TRICKY, amount: '0' }],
      seq: 3,
    });
  });

  it('are decimal strings in a stream as well, wherever its pieces are cut', async () => {
    const text = 'id: 1\ndata: {"block":{"$bigint":"77"},"name":"zoë"}\n\n:\n\n';
    const bytes = new TextEncoder().encode(text);
    for (let cut = 1; cut < bytes.length; cut++) {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      void writer.write(bytes.slice(0, cut));
      void writer.write(bytes.slice(cut));
      void writer.close();
      const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
      const plain = await plainResponse(new Response(readable, { headers }));
      expect(plain.headers.get('content-type')).toBe(headers['content-type']);
      expect(await plain.text()).toBe('id: 1\ndata: {"block":"77","name":"zoë"}\n\n:\n\n');
    }
  });

  it('are read from a stream only when the reader asks, and no longer when it has left', async () => {
    let asked = 0;
    let isLeft = false;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      asked += 1;
      controller.enqueue(new TextEncoder().encode(`${TRICKY}\n`));
    };
    const cancel = () => {
      isLeft = true;
    };
    const body = new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
    const headers = { 'content-type': 'text/event-stream' };
    const plain = await plainResponse(new Response(body, { headers }));
    expect(asked).toBe(0);
    const reader = plain.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('"5"\n');
    expect(asked).toBe(1);
    await reader?.cancel();
    expect([asked, isLeft]).toEqual([1, true]);
  });

  it('change nothing in what is no JSON', async () => {
    const headers = { 'content-type': 'image/svg+xml' };
    const response = new Response(TRICKY, { headers });
    expect(await (await plainResponse(response)).text()).toBe(TRICKY);
  });
});
