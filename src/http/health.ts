/** For supervisors: whether the process serves, and whether its node takes calls. Open to everybody. */
import type { NodeApi } from '../node/api.ts';
import { failure, ok, refuse } from './answers.ts';
import { type Mount, mountOpen, notReadyCode } from './calls.ts';
import { BASE } from './endpoints/endpoint.ts';

export function healthRoutes({ node, mount }: { node: NodeApi; mount: Mount }): void {
  function health(path: string, read: () => Response): void {
    for (const base of ['', BASE]) mountOpen(mount, base + path, read);
  }
  health('/livez', () => ok({ status: 'ok' }));
  health('/readyz', () => {
    const code = notReadyCode(node);
    return code === null ? ok({ status: 'ready' }) : refuse(failure(code));
  });
}
