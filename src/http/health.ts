/** For supervisors: whether the process answers, and whether its node takes calls. Open to everybody. */
import type { NodeApi } from '../node/api/api.ts';
import { warningOf } from '../node/health/rows.ts';
import { ok, refuse } from './answers/responses.ts';
import { type Mount, mountOpen, notReadyRefusal } from './checks/entrance.ts';
import { BASE } from './endpoints/endpoint.ts';

export function healthRoutes({ node, mount }: { node: NodeApi; mount: Mount }): void {
  function health(path: string, read: () => Response): void {
    for (const base of ['', BASE]) mountOpen(mount, base + path, read, 'probe');
  }
  health('/livez', () => ok({ status: 'ok' }));
  health('/readyz', () => {
    const refusal = notReadyRefusal(node);
    if (refusal !== null) return refuse(refusal);
    const warning = warningOf(node.health());
    return ok({ ...node.status(), ...(warning === '' ? {} : { warning }) });
  });
}
