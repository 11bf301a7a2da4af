/** How a node begins and ends, and whether it could end now. */
import { tokenActorId } from '../../machines/base/actor-ids.ts';
import type { Follower } from './chain/follower.ts';
import type { ChainHeight } from './chain/height.ts';
import type { JobQueue } from './chain/jobs/job-queue.ts';
import type { Protection } from './chain/protection.ts';
import type { Announcements } from './messaging/announce.ts';
import type { BrokerWatch } from './messaging/broker-watch.ts';
import type { Messaging } from './messaging/messaging.ts';
import type { FoundActors } from './runtime/actors/boot.ts';
import { protectLocks } from './runtime/actors/orphans.ts';
import type { DiskWatch } from './runtime/knowledge/disk-watch.ts';
import type { RouteFinder } from './runtime/knowledge/route-finder.ts';
import type { Sweeper } from './runtime/knowledge/sweeper.ts';
import { type NodeParts, replacedChain } from './runtime/parts.ts';
import type { Runtime } from './runtime/runtime.ts';

type Rooms = {
  parts: NodeParts;
  runtime: Runtime;
  found: FoundActors;
  height: ChainHeight;
  messaging: Messaging;
  announcements: Announcements;
  finder: RouteFinder;
  follower: Follower;
  jobs: JobQueue;
  sweeper: Sweeper;
  protection: Protection;
  diskWatch: DiskWatch;
  brokerWatch: BrokerWatch;
};

export function createLife(rooms: Rooms) {
  const { parts, runtime, found, messaging, announcements, finder, follower, jobs } = rooms;
  const { store, log, safeMode = null } = parts;
  const { engine, deliver, networks, wakeUps, questions, audit, fatal, actorSettings } = runtime;
  const stops: (() => void)[] = [];

  function tellSettings(): void {
    const event = { type: 'actor.settings', settings: actorSettings } as const;
    const networkActors = [...networks.values()].map(tokenActorId);
    deliver(...['node', ...networkActors, ...found.outdated].map((to) => ({ to, event })));
  }

  function startWatches(): void {
    stops.push(
      rooms.protection.watch.start(fatal('the money for gas could not be looked up', 'internal')),
      rooms.diskWatch.start((error) =>
        log.warn({ error: String(error) }, 'the room on the disk could not be looked up'),
      ),
    );
    if (safeMode === null) stops.push(rooms.brokerWatch.start());
  }

  return {
    /** No actor waits for a block and no transaction is on its way: nothing is lost by ending now. */
    isQuiet: () =>
      follower.head()?.status === 'ready' && wakeUps.size() === 0 && jobs.running() === 0,
    start(): void {
      // The row of a process that died while it was ready still says so, but this process is behind the chain.
      deliver({ to: 'node', event: { type: 'actor.fellBehind' } });
      protectLocks(found.wrongLocks, { engine, store, log });
      engine.turn([], (batch) => {
        if (store.fork() === null) batch.over.push('chain_replaced');
        else if (safeMode !== null) batch.notifications.push(replacedChain(safeMode));
      });
      tellSettings();
      engine.flush();
      jobs.start();
      startWatches();
      rooms.sweeper.start();
      finder.follows?.begin([...networks.keys()], rooms.height.nowBlock());
      follower.start();
    },
    /** In order: nothing new is begun, the chain is no longer followed, messaging is closed, then the database. */
    async stop(): Promise<void> {
      deliver({ to: 'node', event: { type: 'actor.stop' } });
      engine.flush();
      for (const stop of stops) stop();
      rooms.sweeper.end();
      messaging.end();
      announcements.end();
      finder.follows?.end();
      await follower.stop();
      await jobs.stop();
      engine.close();
      await messaging.close();
      questions.end();
      audit.end();
      store.close();
    },
  };
}
