/** The day of an instant in UTC+5. */
export function dayOf(instant: Date): string {
  return new Date(instant.getTime() + 5 * 3_600_000).toISOString().slice(0, 10);
}

/** A day some days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The day from which a later year can be applied for: 1 November before it, or its first day while its base index is not set (APP-19). */
export function opensOn(year: number, today: string): string {
  const november = `${year - 1}-11-01`;
  return today < november ? november : `${year}-01-01`;
}
