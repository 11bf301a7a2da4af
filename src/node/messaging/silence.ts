/** A transport without anybody else on it, for safe mode: nothing is promised to anybody any more. */
import type { Transport } from '../../partner/transport.ts';

export const silence: Transport = {
  publish() {},
  broadcast() {},
  onBroadcast() {},
  onMessage() {},
  presence: async () => ({ state: 'unknown' }),
  onStatus() {},
  isConnected: () => false,
  findRival: async () => 'none',
  close: async () => {},
};
