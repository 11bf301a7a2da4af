import { describe, expect, it } from 'vitest';
import { nextHops, routesIn } from '../../../src/protocol/wire/metadata.ts';
import { OWN, PARTNER, STRANGER, TOKEN } from '../../support/makers.ts';
import { PAYEE } from '../../support/mediation-makers.ts';

const here = { own: OWN, payer: PARTNER, target: STRANGER };
const routed = (...routes: unknown[]) => JSON.stringify({ routes });
const hopsOf = (metadata: string) => nextHops(metadata, here);

describe('the next hop', () => {
  it.each([
    ['stands after this node', [PARTNER, OWN, PAYEE, STRANGER]],
    ['is the first of what is left of a route', [PAYEE, STRANGER]],
    ['follows this node where the sender was cut off', [OWN, PAYEE, STRANGER]],
    ['is known in lower case, too', [PARTNER, OWN, PAYEE].map((address) => address.toLowerCase())],
  ])('%s', (_, route) => {
    expect(hopsOf(routed({ route }))).toEqual([PAYEE]);
  });

  it('of each route counts once, in their order', () => {
    const routes = [
      [OWN, TOKEN],
      [OWN, PAYEE],
      [PARTNER, OWN, TOKEN],
      [OWN, STRANGER],
    ];
    expect(hopsOf(routed(...routes.map((route) => ({ route }))))).toEqual([TOKEN, PAYEE, STRANGER]);
  });

  it.each([
    ['this node', [PARTNER, OWN, OWN]],
    ['the payer', [PARTNER, OWN, PARTNER]],
    ['nobody', [PARTNER, OWN]],
  ])('is never %s', (_, route) => {
    expect(hopsOf(routed({ route }))).toEqual([]);
  });

  it('is the target where there are no routes', () => {
    expect(hopsOf('{}')).toEqual([STRANGER]);
  });
});

describe('the routes of a stranger', () => {
  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no list', '{"routes":{}}'],
    ['null', '{"routes":null}'],
  ])('are none when there is %s', (_, metadata) => {
    expect(routesIn(metadata)).toEqual([]);
  });

  it('are read as far as they make sense', () => {
    const bad = [{ route: ['0x12'] }, { route: 'x' }, null, {}, { route: [1] }];
    expect(routesIn(routed(...bad, { route: [OWN], address_metadata: {} }))).toEqual([[OWN]]);
  });

  it('are bounded in number and length', () => {
    const many = Array.from({ length: 100 }, () => ({ route: [OWN] }));
    expect(routesIn(routed(...many))).toHaveLength(16);
    const routeOf = (length: number) => routed({ route: Array.from({ length }, () => OWN) });
    expect([routesIn(routeOf(64)).length, routesIn(routeOf(65)).length]).toEqual([1, 0]);
  });
});
