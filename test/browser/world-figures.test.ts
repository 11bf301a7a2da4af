import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { checkPage } from '../oracle/check.ts';
import { looksAt } from '../oracle/looks.ts';
import { nodeClaims } from '../oracle/node.ts';
import { type ServedWorld, serveMix } from '../oracle/worlds.ts';
import { useBrowser } from '../support/browser.ts';
import { endPrograms } from '../support/program.ts';

/** What a browser says of streams that it leaves, and of a program that has ended. */
const CUT = /ERR_/;
/** Worlds of other seeds are asked with `FIGURE_SEEDS=8,9`. */
const SEEDS = (process.env['FIGURE_SEEDS'] ?? '7').split(',').map(Number);
/** Actors of each kind that are opened at each moment. */
const OPENED = 2;
const VIEWS = ['money', 'deadlines', 'chart', 'sequence', 'history'];

describe('the figures of nodes in random worlds are what their actors hold', () => {
  const browser = useBrowser();
  afterEach(endPrograms);
  let occasions = 0;

  it.each(SEEDS)('at some moments of world %i', async (seed) => {
    const world = await serveMix(seed);
    const page = await browser.openPage(world.url, { expected: CUT });
    const wrong: string[] = [];
    let figures = 0;
    for (const [moment, share] of [0.25, 0.5, 0.8].entries()) {
      await world.goTo(Math.round(world.blocks * share));
      const node = world.nodes[(seed + moment) % world.nodes.length];
      if (node === undefined) throw new Error('a world has nodes');
      for (const place of ['#/', '#/actors?form=table', ...(await placesOf(node.url))]) {
        const found = await look(page, world, node, place);
        wrong.push(...found.wrong);
        figures += found.figures;
      }
    }
    expect(wrong).toEqual([]);
    expect(figures).toBeGreaterThan(100);
  });

  async function look(
    page: Page,
    { tokens }: ServedWorld,
    node: ServedWorld['nodes'][number],
    place: string,
  ) {
    for (const { width, colorScheme } of looksAt(occasions++).slice(0, 1)) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
    }
    await page.goto(`${node.url}${place}`);
    await page.getByRole('banner').getByText('Live').waitFor();
    const { wrong, figures } = await checkPage(page, () => nodeClaims(node.url), tokens);
    return { figures, wrong: wrong.map((text) => `${node.name} ${place}: ${text}`) };
  }

  /** Each view of some actors of each kind. */
  async function placesOf(base: string): Promise<string[]> {
    const text = await (await fetch(`${base}actors?ended=1`)).text();
    const kinds = ['channel', 'initiator', 'mediator', 'target', 'keeper', 'withdrawal'];
    return kinds.flatMap((kind) => {
      const ids = [...new Set(text.match(new RegExp(`(?<="actor":")${kind}:[^"]+`, 'g')))];
      return ids
        .slice(0, OPENED)
        .flatMap((id) => VIEWS.map((view) => `#/actor/${encodeURIComponent(id)}/${view}`));
    });
  }
});
