/** What every node and every service of a devnet is started in. */

import type { Broker } from '../partner/join.ts';
import type { Log } from '../protocol/environment.ts';
import type { DevnetChain } from './set-up-chain.ts';

export type Surroundings = {
  version: string;
  chain: DevnetChain;
  broker: Broker;
  /** The folder that everything is written to. */
  data: string;
  logOf: (name: string) => Log;
  /** Notes how to end a part, as soon as there is something to end. */
  keep: (stop: () => Promise<void>) => Promise<void>;
  /** A part ended because somebody asked its API to. */
  onShutdown: (name: string) => void;
  /** A line that a part's own process wrote. */
  onLine: (name: string, line: string) => void;
  /** A node ended, though nobody wanted that; `reason` follows its name. */
  onNodeEnded: (name: string, reason: string) => void;
  /** A part that all others need ended. */
  onTrouble: (reason: string) => void;
};
