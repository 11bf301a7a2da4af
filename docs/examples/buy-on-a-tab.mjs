// Buys each URL three times, on a tab: node buy-on-a-tab.mjs NODE TOKEN URL...
import { channelClient } from 'sluice/x402';

const [node, asset, ...urls] = process.argv.slice(2);
// In the smallest unit: 0.001 for a call, 0.1 a day, of which 0.01 may be paid ahead.
const caps = { most: 10n ** 15n, mostPerHost: 10n ** 17n, mostPerDay: 10n ** 17n };
const onPaid = ({ amount }) => console.log(`paid ${amount}`);
const channel = channelClient({ node, asset, ...caps, mostOnTab: 10n ** 16n, onPaid });
for (const url of [...urls, ...urls, ...urls]) {
  const answer = await channel.fetch(url);
  console.log(answer.status, (await answer.text()).trim());
  if (!answer.ok) process.exitCode = 1;
}
console.log(`paid back: ${await channel.closeTabs()}`);
