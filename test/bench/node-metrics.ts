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
