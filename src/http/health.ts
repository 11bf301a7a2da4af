/** For supervisors: whether the process answers, and whether its node takes calls. Open to everybody. */

import type { NodeApi } from '../node/api/api.ts';
import { warningOf } from '../node/health/rows.ts';
import { ok, refuse } from './answers/responses.ts';
import { notReadyRefusal } from './checks/common.ts';
import { type Mount, mountOpen } from './checks/entrance.ts';
import { BASE } from './endpoints/endpoint.ts';

/** Anybody who reaches the port asks, and the table takes a look at every channel. */
const WARNED_MS = 1_000;

export function healthRoutes({ node, mount }: { node: NodeApi; mount: Mount }): void {
  let warning = '';
  let lookedAt = Number.NEGATIVE_INFINITY;

  function warn(): string {
    if (performance.now() - lookedAt < WARNED_MS) return warning;
    warning = warningOf(node.health());
    lookedAt = performance.now();
    return warning;
  }

  function health(path: string, read: () => Response): void {
    for (const base of ['', BASE]) mountOpen(mount, base + path, read, 'probe');
  }
  health('/livez', () => ok({ status: 'ok' }));
  health('/readyz', () => {
    const refusal = notReadyRefusal(node);
    if (refusal !== null) return refuse(refusal);
    const said = warn();
    return ok({ ...node.status(), ...(said === '' ? {} : { warning: said }) });
  });
}
