/** What an effect is called for people. */
type Asked = { type: string } & Record<string, unknown>;

/** Why a partner's message was refused, for the effect that says so; null for any other. */
export function refusalWords({ type, reason, change }: Asked): string | null {
  if (type !== 'report.refused' || typeof reason !== 'string') return null;
  return typeof change === 'number'
    ? `refused: ${reason} (change ${change})`
    : `refused: ${reason}`;
}

/** The effect's type, unless there are words for it. */
export function effectWords(effect: Asked): string {
  return refusalWords(effect) ?? effect.type;
}
