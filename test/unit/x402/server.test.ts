/** The server's side of the scheme: its tags, what it refuses, and prices; vectors made by another program. */
import { describe, expect, it } from 'vitest';
import { channelServer } from '../../../src/x402/server.ts';
import { createTags } from '../../../src/x402/tags.ts';
import vectors from '../../x402-vectors.json' with { type: 'json' };

const asset = { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', decimals: 18 };
const transportOf = ({ method, url }: { method: string; url: string }) => ({
  request: { method, adapter: { getUrl: () => url } },
});

describe('the tag of an offer', () => {
  it.each(vectors.tags)('is as another program makes it: $title', async ({ key, bound, tag }) => {
    const tags = createTags(key);
    expect(await tags.tagOf({ ...bound, tab: null })).toBe(tag);
    expect(await tags.isTagOf(tag, { ...bound, tab: null })).toBe(true);
  });

  it('differs for all that differ', () => {
    expect(new Set(vectors.tags.map(({ tag }) => tag)).size).toBe(vectors.tags.length);
  });

  it('has a key that nobody guesses', () => {
    expect(() => createTags(new Uint8Array(31))).toThrow('32 bytes');
    expect(() => createTags('secret')).toThrow('hexadecimal');
  });
});

describe('a proof', () => {
  it.each(vectors.proofs)('$title: $reason', async ({ now, asked, accepted, payload, reason }) => {
    const server = channelServer({ key: vectors.key, now: () => now * 1_000 });
    const network = 'eip155:1' as const;
    const context = {
      paymentPayload: { x402Version: 2, accepted: { ...accepted, network }, payload },
      requirements: { ...accepted, network },
      declaredExtensions: {},
      transportContext: transportOf(asked),
    };
    const wanted = reason === null ? undefined : { abort: true, reason };
    expect(await server.schemeHooks?.onBeforeVerify?.(context)).toEqual(wanted);
    const settling = { ...context, phase: 'before-handler' as const };
    expect(await server.schemeHooks?.onBeforeSettle?.(settling)).toEqual(wanted);
    const elsewhere = { ...context, transportContext: undefined };
    expect(await server.schemeHooks?.onBeforeVerify?.(elsewhere)).toMatchObject({ abort: true });
  });
});

describe('an offer', () => {
  const demand = {
    scheme: 'channel',
    network: 'eip155:1' as const,
    amount: '5',
    asset: asset.address,
    payTo: asset.address,
    maxTimeoutSeconds: 60,
    extra: {},
  };
  const asked = { method: 'GET', url: 'http://10.0.0.7:8080/v1/weather?town=Fafnir' };
  const resourceInfo = { url: asked.url };
  const paymentRequiredResponse = { x402Version: 2, resource: resourceInfo, accepts: [] };

  it('is made once for each way to pay that is one of channels', async () => {
    const server = channelServer({ key: vectors.key, now: () => 1_000_000 });
    const exact = { ...demand, scheme: 'exact' };
    const enrich = (requirements: (typeof demand)[]) =>
      server.enrichPaymentRequiredResponse?.({
        requirements,
        resourceInfo,
        paymentRequiredResponse,
        transportContext: transportOf(asked),
      });
    const offers = (await enrich([demand, exact, demand])) ?? [];
    expect(offers[1]).toEqual(exact);
    expect(offers[0]?.extra).toMatchObject({ expires: 1_060 });
    expect(offers[0]?.extra['paymentId']).not.toBe(offers[2]?.extra['paymentId']);
    expect(await enrich(offers as (typeof demand)[])).toEqual(offers);
  });

  it('is for the URL at which the server is known outside', async () => {
    const server = channelServer({
      key: vectors.key,
      now: () => 1_000_000,
      publicUrl: 'https://api.example/paid/',
    });
    const [offer] =
      (await server.enrichPaymentRequiredResponse?.({
        requirements: [demand],
        resourceInfo,
        paymentRequiredResponse,
        transportContext: transportOf(asked),
      })) ?? [];
    const { paymentId, expires, tag } = offer?.extra ?? {};
    const bound = {
      ...demand,
      paymentId: String(paymentId),
      expires: Number(expires),
      method: 'GET',
      url: 'https://api.example/paid/v1/weather?town=Fafnir',
      tab: null,
    };
    expect(await createTags(vectors.key).isTagOf(String(tag), bound)).toBe(true);
  });
});

describe('a price', () => {
  const server = channelServer({ key: vectors.key, asset });

  it('is a number of whole tokens, or an amount of its own', async () => {
    const price = await server.parsePrice('0.0001', 'eip155:1');
    expect(price).toEqual({ asset: asset.address, amount: '100000000000000' });
    const own = { asset: asset.address, amount: '7' };
    expect(await server.parsePrice(own, 'eip155:1')).toEqual(own);
  });

  it.each(['0', '-1', '$1', '1e3', '0.0000000000000000001', ''])('is not %j', async (price) => {
    await expect(server.parsePrice(price, 'eip155:1')).rejects.toThrow('no number above 0');
  });

  it.each(['0', '-1', '01', 'all'])('is not an amount of %j', async (amount) => {
    const price = { asset: asset.address, amount };
    await expect(server.parsePrice(price, 'eip155:1')).rejects.toThrow('no amount');
  });
});
