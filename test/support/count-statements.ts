import { Client } from 'pg';

/** A statement as the driver sent it. */
export interface SentStatement {
  text: string;
  values: unknown[];
}

/** What some work cost the database. */
export interface Cost {
  /** Without BEGIN and COMMIT. */
  statements: SentStatement[];
  /** How often the work waited for the server: what is sent while another answer is awaited travels with it, as BEGIN does. */
  roundTrips: number;
}

const begin = /^begin\b/i;
const end = /^(commit|rollback)\b/i;
/** Statements that a process sends by itself: the poll of the schema, the relay of the outbox, a ping, the logs of requests and refusals. */
const ownWork =
  /^(select name from mikro_orm_migrations$|update "outbox" set "attempts"|select 1$|insert into "(request_records|security_events)")/;

/**
 * Runs some work and notes every statement that is sent meanwhile, by all connections of this test file. Nothing else may be busy with the
 * database.
 * @param aside statements that are not noted
 */
export async function countStatements<T>(work: () => Promise<T>, aside = ownWork): Promise<Cost & { result: T }> {
  const original = Client.prototype.query;
  const statements: SentStatement[] = [];
  const awaited = new Map<Client, number>();
  let roundTrips = 0;
  Client.prototype.query = function query(this: Client, ...given: unknown[]): unknown {
    const [statement] = given;
    const { text, values = [] } = typeof statement === 'string' ? { text: statement } : (statement as Partial<SentStatement>);
    if (text !== undefined && aside.test(text)) return Reflect.apply(original, this, given);
    const count = awaited.get(this) ?? 0;
    if (count === 0) roundTrips += 1;
    awaited.set(this, count + 1);
    if (text !== undefined && !begin.test(text) && !end.test(text)) statements.push({ text, values });
    const answered = () => awaited.set(this, (awaited.get(this) ?? 1) - 1);
    const answer: unknown = Reflect.apply(original, this, given);
    void Promise.resolve(answer).then(answered, answered);
    return answer;
  } as typeof original;
  try {
    const result = await work();
    return { result, statements, roundTrips };
  } finally {
    Client.prototype.query = original;
  }
}

/**
 * Runs a read three times and returns the cheapest run: where workers run too, what they do for earlier records may fall into one of them.
 */
export async function countStatementsOfRead<T>(read: () => Promise<T>): Promise<Cost & { result: T }> {
  const runs = [await countStatements(read), await countStatements(read), await countStatements(read)];
  return runs.reduce((best, run) => (run.statements.length < best.statements.length ? run : best));
}

/** What each piece of work may cost, or did cost, by its name. */
export type Figures = Record<string, Record<string, number>>;

/** Figures as a table for people: one line for each piece of work, one column for each figure. */
export function tableOf(figures: Figures): string {
  const names = Object.keys(figures);
  const columns = [...new Set(names.flatMap((name) => Object.keys(figures[name] ?? {})))];
  const width = Math.max(0, ...names.map((name) => name.length));
  const line = (name: string, cells: string[]) => [
    name.padEnd(width),
    ...cells.map((cell, at) => cell.padStart((columns[at] ?? '').length)),
  ];
  return [
    line('', columns),
    ...names.map((name) =>
      line(
        name,
        columns.map((column) => String(figures[name]?.[column] ?? '')),
      ),
    ),
  ]
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n');
}

/** The statements of a piece of work, numbered, one a line and cut where they are long: to see which one is new. */
export function listStatements(name: string, statements: readonly SentStatement[]): string {
  const lines = statements.map(({ text }, index) => `  ${index + 1}. ${text.replaceAll(/\s+/g, ' ').slice(0, 160)}`);
  return [`${name}:`, ...lines].join('\n');
}
