import { afterEach, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { syntheticChannel } from '../support/synthetic-channel.ts';
import { syntheticRows } from '../support/synthetic-fleet.ts';
import {
  type SyntheticInspector,
  type SyntheticWorld,
  startSyntheticInspector,
} from '../support/synthetic-inspector.ts';
import { createStepWriter } from '../support/synthetic-records.ts';

describe('the frame of the page', () => {
  const browser = useBrowser();
  let node: SyntheticInspector;

  async function start(world: SyntheticWorld = {}): Promise<void> {
    const writer = createStepWriter();
    const actors = [syntheticChannel(writer)];
    node = await startSyntheticInspector({ rows: syntheticRows(20), actors, writer, ...world });
  }

  afterEach(() => node.close());

  it('opens an actor from the fleet', async () => {
    await start();
    const page = await browser.openPage(node.url);
    await page.getByRole('link', { name: 'channel:' }).first().click();
    await page.getByRole('link', { name: 'money' }).click();
    expect(new URL(page.url()).hash).toMatch(/^#\/actor\/channel%3A.*\/money$/);
  });
});
