/** Most bytes that may wait for a server that has stopped reading: they take this node's memory. */
const MOST_BYTES_AWAY = 33_554_432;
const BYTES_PER_CHECK = 1_048_576;

/**
 * Admits bytes to a connection as long as the other end keeps up. `flush` resolves when the other end has taken all
 * that was sent before; it is called about once per MiB.
 */
export function createFloodGate(flush: () => Promise<void>) {
  let unconfirmed = 0;
  let sinceCheck = 0;
  let checking = false;

  async function check(): Promise<void> {
    checking = true;
    sinceCheck = 0;
    const sent = unconfirmed;
    try {
      await flush();
      unconfirmed -= sent;
    } catch {
      // The connection is gone, and this gate with it.
    }
    checking = false;
  }

  return {
    admits(bytes: number): boolean {
      if (unconfirmed + bytes > MOST_BYTES_AWAY) return false;
      unconfirmed += bytes;
      sinceCheck += bytes;
      if (sinceCheck >= BYTES_PER_CHECK && !checking) void check();
      return true;
    },
  };
}
