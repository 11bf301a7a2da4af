/** Why a node refuses, in its own words. */

export function reasonOf({ errors }: { errors: string | Record<string, string[]> }): string {
  if (typeof errors === 'string') return errors;
  return Object.entries(errors)
    .map(([field, reasons]) => `${field}: ${reasons.join(' ')}`)
    .join(' ');
}
