/** One line of the table at the end. */
export interface Verdict {
  what: string;
  goal: string;
  measured: string;
  isMet: boolean;
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `1.43`, as many digits as a ratio of noisy numbers deserves. */
export function ratio(value: number): string {
  return value.toFixed(2);
}

export function printTable(verdicts: readonly Verdict[]): void {
  const rows = [
    ['', 'goal', 'measured', ''],
    ...verdicts.map(({ what, goal, measured, isMet }) => [what, goal, measured, isMet ? 'met' : 'MISSED']),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  say('');
  for (const row of rows) say(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}
