/** What the auditor found: the registry says something else than the rules. */
export class Finding extends Error {
  readonly question: string;
  readonly expected: string;
  readonly seen: string;

  constructor(question: string, expected: unknown, seen: unknown) {
    const [wanted, got] = [textOf(expected), textOf(seen)];
    super(`${question}\n  expected: ${wanted}\n  seen:     ${got}`);
    this.name = 'Finding';
    this.question = question;
    this.expected = wanted;
    this.seen = got;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}
