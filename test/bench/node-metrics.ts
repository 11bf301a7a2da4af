/** What a node tells about itself at `/metrics`. */

export type Metrics = Awaited<ReturnType<typeof metricsOf>>;

export async function metricsOf(api: string) {
  const text = await (await fetch(`${api}/metrics`)).text();
  return {
    /** The first sample of this name; 0 when there is none. */
    value: (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0),
    /** How many messages of each type the node has sent, repeats included. */
    sent: (): Map<string, number> => {
      const found = text.matchAll(/^pcn_messages_total\{type="(\w+)",dir="out",\S+\} (\S+)/gm);
      return new Map([...found].map(([, type = '', count]) => [type, Number(count)]));
    },
  };
}

/** How often the monitor of the event loop looks, in milliseconds: its figure is this when nothing ever stands still. */
const MONITOR_MS = 10;

/** The longest time, in milliseconds, that the node's event loop stood still since this was asked before. */
export async function longestStall(api: string): Promise<number> {
  const text = await (await fetch(`${api}/metrics`)).text();
  const lag = /^nodejs_eventloop_lag_max_seconds\S* (\S+)/m.exec(text)?.[1];
  if (lag === undefined) throw new Error('the node does not measure its loop');
  return Math.max(0, 1_000 * Number(lag) - MONITOR_MS);
}
