/** The history as the store keeps it: its parts, and the secrethashes in them. */
import type { Connection } from '../base/connection.ts';
import { createParts } from './parts.ts';
import { createUsed } from './used.ts';

export type StoredHistory = ReturnType<typeof openStoredHistory>;

export function openStoredHistory(connection: Connection) {
  const parts = createParts(connection, (part) => used.noteClosed(part));
  const used = createUsed(connection, parts);
  return {
    parts,
    used,
    /**
     * One step towards a closed part or a kept filter, if there is one, at the end of a transaction that added rows.
     * `newest`: no payment has a higher number.
     */
    close(newest: number): void {
      if (!used.keepFull()) parts.close({ payments: newest, spent: used.newestSpent() });
    },
  };
}
