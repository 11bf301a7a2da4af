/** Carries a payload from its sender to its recipients, through all faults of the network. */
import type { Endpoint } from './endpoints.ts';
import { type Counters, createMemory, type Parcel, type Sight } from './parcel.ts';
import type { Wires } from './wires.ts';

export type Delivery = ReturnType<typeof createDelivery>;

/** `replayLimit`: how many of the last payloads a hostile broker remembers. */
export function createDelivery(wires: Wires, replayLimit: number) {
  const { endpoints, faults, scheduler, lines, latency, abroad } = wires;
  const memory = createMemory(replayLimit);
  const counters: Counters = { sent: 0, delivered: 0, lost: 0, bytes: 0 };
  const taps: ((sight: Sight) => void)[] = [];

  function tell(type: Sight['type'], parcel: Parcel, by: string | null): void {
    counters[type] += 1;
    for (const listener of taps) listener({ type, parcel, by });
  }

  function send(sender: Endpoint, parcel: Parcel): void {
    tell('sent', parcel, null);
    counters.bytes += parcel.payload.length;
    if (parcel.topic === null) memory.note(parcel);
    const loss = faults.hit('lose', parcel)?.name ?? (lines.loses(parcel) ? 'its line' : null);
    if (loss !== null) {
      tell('lost', parcel, loss);
      return;
    }
    ship(sender, faults.isCalm() ? parcel : tampered(wires, parcel), null);
    const twin = faults.hit('duplicate', parcel);
    if (twin !== null) ship(sender, parcel, twin.name);
    const replay = faults.hit('replay', null);
    const old = memory.parcels();
    if (replay !== null && old.length > 0) ship(sender, replay.draw.pick(old), replay.name);
  }

  /** `by`: the name of the fault that made this copy; null: none. */
  function ship(sender: Endpoint, parcel: Parcel, by: string | null): void {
    const now = scheduler.now();
    const delay = faults.hit('delay', parcel);
    const delayMs = delay?.draw.integer(delay.fault.leastMs, delay.fault.mostMs) ?? 0;
    const due = now + (lines.delayMs(parcel) ?? latency(sender)) + delayMs;
    const arrival = Math.max(due, sender.arrivals.get(parcel.to) ?? 0);
    sender.arrivals.set(parcel.to, arrival);
    const jump = faults.hit('reorder', parcel);
    const lateMs = jump?.draw.integer(0, jump.fault.windowMs) ?? 0;
    if (abroad?.isAbroad(parcel.to) === true) abroad.send(parcel, arrival + lateMs);
    else scheduler.after(arrival - now + lateMs, () => arrive(parcel, by));
  }

  /** A broadcast reaches the listeners of other parts, too. */
  function sendAbroad(sender: Endpoint, parcel: Parcel): void {
    abroad?.send(parcel, scheduler.now() + latency(sender));
  }

  function arrive(parcel: Parcel, by: string | null): void {
    const { to, topic, payload } = parcel;
    const cut = faults.hit('partition', parcel) ?? faults.hit('deaf', parcel);
    let isHeard = false;
    for (const one of cut === null ? endpoints.at(to) : []) {
      const handler = topic === null ? one.receive : one.topics.get(topic);
      // A process may have ended just now, by what another one did with this payload.
      if (!one.isConnected || handler === undefined || handler === null) continue;
      isHeard = true;
      tell('delivered', parcel, by);
      handler(payload);
    }
    if (!isHeard) tell('lost', parcel, cut?.name ?? 'nobody');
  }

  return {
    send,
    sendAbroad,
    arrive,
    counters,
    tap: (listener: (sight: Sight) => void) => void taps.push(listener),
  };
}

/** The payload as a hostile broker changes it: to another recipient, or with one bit flipped. */
function tampered({ faults, endpoints }: Wires, parcel: Parcel): Parcel {
  const wrong = faults.hit('misdeliver', parcel);
  const to = wrong?.draw.pick(endpoints.all()).address ?? parcel.to;
  const flip = parcel.payload.length === 0 ? null : faults.hit('flip', parcel);
  if (flip === null) return { ...parcel, to };
  const payload = Uint8Array.from(parcel.payload);
  const place = flip.draw.integer(0, payload.length - 1);
  payload[place] = (payload[place] ?? 0) ^ (1 << flip.draw.integer(0, 7));
  return { ...parcel, to, payload };
}
