/** Callers that leave in the middle of what they send. */
import { afterEach, it } from 'vitest';
import { type ApiServer, serve } from '../../../src/http/server.ts';
import { openRaw } from '../../support/raw-http.ts';
import { until } from '../../support/until.ts';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

it.each(['before its answer', 'after its answer'])(
  'ends the body of a call whose caller leaves %s, for whoever reads it',
  async (when) => {
    const seen = { isBegun: false, isBroken: false };
    const answered = async (request: Request) => {
      const whole = request.text().catch(() => {
        seen.isBroken = true;
        return '';
      });
      seen.isBegun = true;
      return new Response(when === 'after its answer' ? 'early' : await whole);
    };
    const server = await serve({ app: { fetch: answered }, port: 0 });
    servers.push(server);
    const caller = await openRaw(server.url);
    await caller.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf');
    const isAnswered = () => caller.text().endsWith('early');
    await until(when === 'after its answer' ? isAnswered : () => seen.isBegun);
    caller.socket.destroy();
    await until(() => seen.isBroken, 'its reader hears of it');
  },
);
