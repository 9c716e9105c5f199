/** The day of an instant in UTC+5. */
export function dayOf(instant: Date): string {
  return new Date(instant.getTime() + 5 * 3_600_000).toISOString().slice(0, 10);
}

/** A day some days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
