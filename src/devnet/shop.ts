/** A small API that one node of a devnet sells: the weather of a town that there is not. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
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
  /** The folder for data. */
  folder: string;
  /** 0 lets the system choose. */
  port: number;
  keep(stop: () => Promise<void>): Promise<void>;
};

export const PRICE = '0.0001';
export const GOODS = '/v1/weather?town=Lindwurm';
/** Costs by the hour that it tells. */
export const BY_USE = '/v1/forecast?town=Lindwurm';
const MOST = '0.001';
const FORECAST_HOURS = 6;
/** What is paid ahead at least, and may lie on a tab, in whole tokens. */
const ON_TAB = { least: '0.01', most: '1' };
const IDLE_SECONDS = 600;
export const FREE = '/towns';
const TOWNS = ['Lindwurm', 'Fafnir', 'Tatzel'];
const SKIES = ['drizzle of sparks', 'dry, with smoke from the east', 'hail', 'haze over the hoard'];

export async function openShop(request: Request): Promise<Shop> {
  const { seller, token, log, port, folder, keep } = request;

  const upstream = await serve({ app: { fetch: (request) => weather().fetch(request) }, port: 0 });
  await keep(upstream.close);
  const texts = [
    `GET /v1/* ${PRICE} ${token.address}`,
    `GET /v1/forecast ${PRICE} per event up to ${MOST} ${token.address}`,
    `GET ${FREE} free`,
  ];
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
      tabs: {
        file: join(folder, 'shop-tabs.db'),
        terms: new Map([[token.address, { ...ON_TAB, token: token.address }]]),
        idleSeconds: IDLE_SECONDS,
      },
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
    return c.json({ town, ...weatherAt(hourNow() + at) });
  });
  app.get('/v1/forecast', (c) => {
    const at = TOWNS.indexOf(c.req.query('town') ?? '');
    if (at === -1) return c.json({ error: 'there is no such town' }, 404);
    return streamSSE(c, async (stream) => {
      for (let hour = 1; hour <= FORECAST_HOURS; hour++)
        await stream.writeSSE({
          data: JSON.stringify({ hour, ...weatherAt(hourNow() + at + hour) }),
        });
    });
  });
  return app;
}

const hourNow = (): number => Math.floor(Date.now() / 3_600_000);

const weatherAt = (hour: number) => ({ sky: SKIES[hour % SKIES.length], celsius: 7 + (hour % 23) });
