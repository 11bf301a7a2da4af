import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { grouped } from '../../src/basics/digits.ts';
import { useBrowser } from '../support/browser.ts';
import { CHANNEL } from '../support/makers.ts';
import { type SyntheticActor, syntheticChannel } from '../support/synthetic-channel.ts';
import {
  type SyntheticInspector,
  startSyntheticInspector,
} from '../support/synthetic-inspector.ts';
import { createStepWriter } from '../support/synthetic-records.ts';

describe('the panels of a channel', () => {
  const browser = useBrowser();
  let node: SyntheticInspector;

  async function start(change: (actor: SyntheticActor) => SyntheticActor = (actor) => actor) {
    const writer = createStepWriter();
    const channel = syntheticChannel(writer, { payments: 6 });
    node = await startSyntheticInspector({ actors: [change(channel)], writer });
    const open = (view: string) =>
      browser.openPage(`${node.url}#/actor/${encodeURIComponent(CHANNEL)}/${view}`);
    const { money } = channel.view(channel.nowBlock);
    if (money === null) throw new Error('the channel has no money');
    return { channel, money, open };
  }

  const lamp = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });

  afterEach(() => node.close());

  it('show the money to the unit, and what an older proof would have paid', async () => {
    const { money, channel, open } = await start();
    const page = await open('money');
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) }).first();
    const shows = (name: string, amount: bigint) =>
      row(name)
        .filter({ hasText: grouped(amount) })
        .waitFor();
    await shows('Balance', money.own.balance);
    await shows('Balance', money.partner.balance);
    await shows('Locked', money.partner.locked);
    await lamp(page, 'Conserved').waitFor();
    const oldest = channel.proofs.filter(({ side }) => side === 'own').at(-1);
    await page.getByRole('radio', { name: `${oldest?.nonce}`, exact: true }).check();
    const paid = `this node would get ${grouped(oldest?.payout.own ?? 0n)}: ▲ gain`;
    await page.getByRole('paragraph').filter({ hasText: paid }).waitFor();
  });

  it('turn the lamp red when a unit is missing', async () => {
    const { open } = await start((actor) => ({
      ...actor,
      view(nowBlock) {
        const view = actor.view(nowBlock);
        const { money } = view;
        if (money === null) return view;
        const own = { ...money.own, balance: money.own.balance - 1n };
        return { ...view, money: { ...money, own, isConserved: false } };
      },
    }));
    const page = await open('money');
    await lamp(page, 'Not conserved: 1 unaccounted for').waitFor();
  });

  it('count a deadline down with each block, until it is marked as dangerous', async () => {
    const { channel, open } = await start();
    const page = await open('deadlines');
    const lock = page.getByRole('row', { name: "partner's lock" });
    await lock.filter({ hasText: 'safe' }).waitFor();
    const danger = channel
      .view(channel.nowBlock)
      .deadlines.find(({ side }) => side === 'partner')?.dangerBlock;
    if (danger === null || danger === undefined) throw new Error('the lock has no danger');
    node.setBlock(danger - 1n);
    await lock.filter({ hasText: 'in 1 block' }).waitFor();
    node.setBlock(danger);
    await lock.filter({ hasText: 'danger' }).waitFor();
  });

  it('draw a message that is sent while somebody looks, with its secret hidden', async () => {
    const { channel, open } = await start();
    const page = await open('sequence');
    const drawn = page.getByRole('button', { name: /^\d+ Update: unlock from this node/ });
    await drawn.first().waitFor();
    const before = await drawn.count();
    node.emit(channel.pay(12_345n));
    await drawn.nth(before).click();
    await page.getByText('secret hidden', { exact: true }).last().waitFor();
    const link = page.getByRole('link', { name: /^step \d+$/ });
    expect(await link.getAttribute('href')).toMatch(/\/history\?step=\d+$/);
  });
});
