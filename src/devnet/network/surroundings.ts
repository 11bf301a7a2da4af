/** What every node and service of a devnet is started with. */

import type { Log } from '../../basics/environment.ts';
import type { JoinedBroker } from '../../partner/join.ts';
import type { DevnetChain } from '../chain/set-up-chain.ts';
import type { DevnetOptions } from '../options.ts';

export type Surroundings = {
  options: DevnetOptions;
  chain: DevnetChain;
  broker: JoinedBroker;
  /** The folder for all files. */
  data: string;
  logOf: (name: string) => Log;
  /** Notes how to end a part, as soon as it has started. */
  keep: (stop: () => Promise<void>) => Promise<void>;
  /** Called when a part ended because a caller of its API asked for it. */
  onShutdown: (name: string) => void;
  /** Called with each line that a part's process wrote. */
  onLine: (name: string, line: string) => void;
  /** Called when a node ended unexpectedly; `reason` is a phrase to put after its name. */
  onNodeEnded: (name: string, reason: string) => void;
  /** Called when a part that all others need has ended. */
  onTrouble: (reason: string) => void;
};
