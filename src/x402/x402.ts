/**
 * Calls over HTTP, sold and bought by payments over channels: the scheme `channel` for the packages of x402. A node that
 * does not use it loads none of it. This is what the package exports.
 */
import type { Caps } from './budget.ts';
import {
  type Bought,
  type ChannelClient,
  type ChannelClientOptions,
  channelClient,
} from './client.ts';
import {
  type NodeFacilitator,
  type NodeFacilitatorOptions,
  nodeFacilitator,
} from './facilitator.ts';
import type { OutsideOffer } from './offered.ts';
import { type Asset, type ChannelPriceOptions, channelPrice } from './price.ts';
import { type ChannelServerOptions, channelServer } from './server.ts';
import type { ServerTabs } from './tab-server.ts';

export type {
  Asset,
  Bought,
  Caps,
  ChannelClient,
  ChannelClientOptions,
  ChannelPriceOptions,
  ChannelServerOptions,
  NodeFacilitator,
  NodeFacilitatorOptions,
  OutsideOffer,
  ServerTabs,
};
export { channelClient, channelPrice, channelServer, nodeFacilitator };
