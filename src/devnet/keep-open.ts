/** A node that begins again, in the same process, when the chain was replaced below what it has followed. */
import { type NodeConfig, type NodeHooks, type OpenNode, openNode } from './open-node.ts';
import type { Refusal } from './refusal.ts';

/** As `openNode`. Only what it cannot begin again from is told to `onFatal`. */
export async function keepOpen(
  config: NodeConfig,
  hooks: NodeHooks,
): Promise<{ ok: true; value: OpenNode } | Refusal> {
  let current: OpenNode | null = null;
  let isStopped = false;
  let reopening: Promise<void> = Promise.resolve();

  const begin = (chosen: NodeConfig) =>
    openNode(chosen, {
      ...hooks,
      onFatal(reason, kind) {
        if (kind === 'replaced') reopening = reopening.then(() => reopen(reason));
        else hooks.onFatal(reason, kind);
      },
    });

  async function reopen(reason: string): Promise<void> {
    // Not before the first opening has answered: what it holds could not be given back.
    await first;
    if (current === null || isStopped) return;
    hooks.log.error({ reason }, 'the node begins again where the chain was replaced');
    const port = Number(new URL(current.apiUrl).port);
    await current.stop();
    if (isStopped) return;
    const again = await begin({ ...config, api: { ...config.api, port } });
    if (again.ok) current = again.value;
    else hooks.onFatal(again.message, 'foreign');
  }

  const first = begin(config).then((opened) => {
    if (opened.ok) current = opened.value;
    return opened;
  });
  const opened = await first;
  if (!opened.ok) return opened;
  const { value } = opened;
  const now = () => current ?? value;
  return {
    ok: true,
    value: {
      ...value,
      get node() {
        return now().node;
      },
      status: () => now().status(),
      guard: () => now().guard(),
      async stop() {
        isStopped = true;
        await reopening;
        await now().stop();
      },
    },
  };
}
