/** Calls at the same time for the same tokens: whoever comes late is told that the money is gone. */
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NodeProcess, startWorld, TOKENS, type World } from '../support/processes.ts';

let world: World;
let alice: NodeProcess;
const partners: NodeProcess[] = [];

beforeAll(async () => {
  world = await startWorld();
  alice = await world.start('alice', { options: { 'api-concurrency': '4' } });
  for (const name of ['bob', 'carol']) partners.push(await world.start(name));
  await world.fund(alice.address, 15n * TOKENS);
});
afterAll(() => world?.stop());

const open = (partner: NodeProcess, deposit: bigint) =>
  alice.api.put('/channels', {
    partner_address: partner.address,
    token_address: world.token,
    total_deposit: String(deposit),
  });
async function depositMore(partner: NodeProcess, added: bigint) {
  const path = `/channels/${world.token}/${partner.address}`;
  const { body } = await alice.api.ask({ path });
  const { total_deposit } = v.parse(v.object({ total_deposit: v.string() }), body);
  return alice.api.patch(path, { total_deposit: String(BigInt(total_deposit) + added) });
}

it('a node opens one of two channels that its tokens do not suffice for together', async () => {
  const both = Promise.all(partners.map((partner) => open(partner, 10n * TOKENS)));
  const answers = await world.whileMining(both);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 402]);
});

it('a node deposits into one of two channels that its tokens do not suffice for together', async () => {
  for (const partner of partners) await world.whileMining(open(partner, 0n));
  // Now she has 5 and 10.
  await world.fund(alice.address, 10n * TOKENS);
  const both = Promise.all(partners.map((partner) => depositMore(partner, 8n * TOKENS)));
  const answers = await world.whileMining(both);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 402]);
  const refused = answers.find(({ status }) => status === 402);
  expect(JSON.stringify(refused?.body)).toContain('Another call has spent the tokens');
});
