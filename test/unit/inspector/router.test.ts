import { describe, expect, it } from 'vitest';
import { hashOf, type PagePlace, placeOf } from '../../../src/inspector-page/base/router.ts';

describe('the addresses of the page', () => {
  it.each<PagePlace>([
    { view: 'actors' },
    { view: 'money', actor: 'channel:0xAB:7' },
    { view: 'chart', actor: 'target:a/b?c#d', step: 1_240 },
  ])('lead back to where they come from: %o', (place) => {
    expect(placeOf(hashOf(place))).toEqual(place);
  });

  it('forget a step that is no number', () => {
    expect(placeOf('#/actor/node/history?step=-1')).toEqual({ view: 'history', actor: 'node' });
    expect(placeOf('#/actor/node/history?step=1e3')).toEqual({ view: 'history', actor: 'node' });
  });

  it('that mean nothing are the list of actors', () => {
    expect(placeOf('')).toEqual({ view: 'actors' });
    expect(placeOf('#/actor/')).toEqual({ view: 'actors' });
    expect(placeOf('#/%E0%A4%A/x')).toEqual({ view: 'actors' });
  });
});
