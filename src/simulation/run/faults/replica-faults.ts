/** Faults of replicated nodes: of their stream, and of the machine that runs the node. */
import type { Site } from '../../replica/site.ts';
import type { Fault } from '../../scenario/schema/trouble.ts';
import { during, type Undo } from './fault-schedule.ts';

type ReplicaFault = Extract<
  Fault,
  { kind: 'stream_away' | 'stream_late' | 'stream_silent' | 'takeover' | 'machine_lost' }
>;

/** Faults that no replicated node is struck by: those of one disk, and those that need another machine. */
export const NOT_REPLICATED: ReadonlySet<Fault['kind']> = new Set([
  'second_process',
  'disk_full',
  'disk_lost_writes',
  'disk_old_copy',
]);

/** Strikes the machine that runs the node now. */
export function strikeSite(site: Site, fault: ReplicaFault): Undo {
  const { seat, machine } = site.active();
  const { faults } = seat.way;
  switch (fault.kind) {
    case 'stream_away':
      faults.isCut = true;
      site.stream.tell();
      return () => {
        faults.isCut = false;
        site.stream.tell();
      };
    case 'stream_late':
      return during(faults, 'lateMs', fault.ms, 0);
    case 'stream_silent':
      return during(faults, 'lostAnswers', fault.share, 0);
    case 'takeover':
      site.other().seat.order();
      return () => {};
    case 'machine_lost':
      machine.kill('its machine is gone');
      seat.replaceDisk();
      return () => {
        // Whoever runs the node tells the other machine, unless it has taken over by itself.
        if (site.machine.node() === null) site.other().seat.order();
        site.machine.start();
      };
  }
}
