/** A small API that one node of a devnet sells: the weather of a town that there is not. */
import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import type { Log } from '../basics/environment.ts';
import { freePort } from '../host/port.ts';
import { serve } from '../http/server.ts';
import { openPaywall } from '../paywall/open-paywall.ts';
import { parseRule } from '../paywall/rules.ts';
import type { DevnetToken } from './chain/set-up-chain.ts';
import type { DevnetNode } from './network/nodes.ts';

export type Shop = { url: string; seller: string };
type Request = {
  seller: Pick<DevnetNode, 'name' | 'api'>;
  token: DevnetToken;
  log: Log;
  /** 0 lets the system choose. */
  port: number;
  keep(stop: () => Promise<void>): Promise<void>;
};

export const PRICE = '0.0001';
export const GOODS = '/v1/weather?town=Lindwurm';
export const FREE = '/towns';
const TOWNS = ['Lindwurm', 'Fafnir', 'Tatzel'];
const SKIES = ['drizzle of sparks', 'dry, with smoke from the east', 'hail', 'haze over the hoard'];

export async function openShop({ seller, token, log, port, keep }: Request): Promise<Shop> {
  const upstream = await serve({ app: { fetch: (request) => weather().fetch(request) }, port: 0 });
  await keep(upstream.close);
  const texts = [`GET /v1/* ${PRICE} ${token.address}`, `GET ${FREE} free`];
  const rules = texts.map(parseRule).flatMap((rule) => (rule.ok ? [rule.value] : []));
  const paywall = await openPaywall(
    {
      rules,
      upstream: upstream.url,
      node: seller.api,
      token: null,
      payTo: null,
      decimals: new Map(),
      host: '127.0.0.1',
      port: port === 0 ? 0 : await freePort(port),
      metricsPort: null,
      publicUrl: null,
      tabs: null,
      origins: [],
      offerSeconds: 60,
      key: randomBytes(32).toString('hex'),
    },
    log,
  );
  await keep(paywall.stop);
  return { url: paywall.url, seller: seller.name };
}

function weather(): Hono {
  const app = new Hono();
  app.get(FREE, (c) => c.json({ towns: TOWNS }));
  app.get('/v1/weather', (c) => {
    const town = c.req.query('town') ?? '';
    const at = TOWNS.indexOf(town);
    if (at === -1) return c.json({ error: `there is no weather in ${town}` }, 404);
    const hours = Math.floor(Date.now() / 3_600_000) + at;
    return c.json({ town, sky: SKIES[hours % SKIES.length], celsius: 7 + (hours % 23) });
  });
  return app;
}
