import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from './database/database.ts';
import { definePoint } from './extensions.ts';

/**
 * What the registry holds about people, declared for each column of each table (PRV-1). Areas declare their tables in `personal-data.ts`; a
 * column without a content does not compile, and a test compares the declarations with the schema.
 */

/**
 * What a column holds:
 * - `fact`: a number, a date, a status or a code, which identifies no person;
 * - `personal`: what a person wrote or what identifies one;
 * - `file`: the storage key of a file with data of the person;
 * - `secret`: a hash, a key or a ciphertext;
 * - `technical`: what only the service uses.
 *
 * An account's export shows facts, personal data and files.
 */
export type Content = 'fact' | 'personal' | 'file' | 'secret' | 'technical';

type TableName = keyof Tables;
type ColumnOf<Table extends TableName> = keyof Tables[Table] & string;

/** A condition by which a row of a table belongs to an account. Each reads an index. */
type Condition = (account: Account) => RawBuilder<SqlBool>;

/** Why rows of an erased account stay, without what identifies the person (PRV-3). */
export const keptReasons = {
  numbers: 'other records name them by number',
  money: 'the ledger names them',
  certificates: 'certificates are still verified by them',
  agreements: 'an agreement is kept for `RETENTION_AGREEMENTS_YEARS`',
  results: 'the results of a competition stand',
  audit: 'the audit names the account by its number',
} as const;
export type KeptReason = keyof typeof keptReasons;

/**
 * What a kept row has in place of a column: a value in SQL, what it had (`stays`), or that word where there was a text (`withheld`), so that
 * it is still known whether there was one.
 */
type Replacement = RawBuilder<unknown> | 'stays' | 'withheld';

/** Nothing in place of personal data. */
export const cleared = sql`null`;
/** A name in place of a person's. */
export const nameWithheld = sql`'name withheld'`;
/** JSON without fields. */
export const emptied = sql`'{}'::jsonb`;
/**
 * What erasure does to the rows of an account (PRV-3). `deleted`: they go. `derived`: triggers write them again from records that they
 * follow.
 */
export type Erasure = 'deleted' | 'derived' | { keptFor: KeptReason; columns: Readonly<Record<string, Replacement>> };

/** A table with rows of accounts. */
export interface PersonalRecord {
  /** Name of one row, as in the audit where it has one. */
  kind: string;
  table: TableName;
  /** A row belongs to an account by one of these. */
  isOf: readonly Condition[];
  /** Content by property name. */
  columns: Readonly<Record<string, Content>>;
  erasure: Erasure;
}

/** A table without rows of accounts, and why. The number of an account identifies no person. */
export interface ImpersonalRecord {
  table: TableName;
  because: string;
}

/** An account whose rows are looked for, with the declarations of all areas. */
export interface Account {
  userId: number;
  records: readonly PersonalRecord[];
}

export const personalRecords = definePoint<readonly PersonalRecord[]>('tables with rows of accounts');
export const impersonalRecords = definePoint<readonly ImpersonalRecord[]>('tables without rows of accounts');

/** What a column of this name holds, if its table says nothing else. */
const usual = {
  ...same('fact', ['id', 'kind', 'type', 'status', 'number', 'year', 'amountMinor', 'currency']),
  ...same('fact', ['userId', 'ownerId', 'actorId', 'profileId', 'documentId', 'fileId', 'applicationId', 'eventId', 'registrationId']),
  ...same('fact', ['subjectKind', 'subjectId', 'requestId']),
  ...same('fact', ['at', 'createdAt', 'updatedAt', 'submittedAt', 'decidedAt', 'closedAt', 'expiresAt']),
  ...same('personal', ['name', 'email', 'phone', 'ip', 'title', 'text', 'note', 'reviewNote', 'reason']),
  ...same('secret', ['tokenHash']),
  ...same('technical', ['dueAt', 'words']),
};

function same<const Of extends Content, Name extends string>(content: Of, names: readonly Name[]): Record<Name, Of> {
  // Has each of the names.
  return Object.fromEntries(names.map((name) => [name, content])) as Record<Name, Of>;
}

type ContentsOf<Table extends TableName> = Record<Exclude<ColumnOf<Table>, keyof typeof usual>, Content> &
  Partial<Record<ColumnOf<Table>, Content>>;

/** Columns that may identify a person: a kept row says what they have instead. */
type ErasedColumn<Table extends TableName, Contents> = {
  [Column in ColumnOf<Table>]: (
    Column extends keyof Contents ? Contents[Column] : Column extends keyof typeof usual ? (typeof usual)[Column] : never
  ) extends 'fact' | 'technical'
    ? never
    : Column;
}[ColumnOf<Table>];

type ErasureOf<Table extends TableName, Contents> =
  | 'deleted'
  | 'derived'
  | {
      keptFor: KeptReason;
      columns: Record<ErasedColumn<Table, Contents>, Replacement> & Partial<Record<ColumnOf<Table>, Replacement>>;
    };

/** By what a row belongs to an account. */
type Owner<Column extends string> =
  /** Columns with the number of the account. */
  | { account: Column | readonly Column[] }
  /** A column with the id of a row of the account. */
  | { column: Column; of: PersonalRecord }
  /** Columns with the kind and the id of a record of the account. `records`: kinds of declared records by the kinds in the column. */
  | { about: { kind: Column; id: Column; isText: boolean; records: Readonly<Record<string, string>> } }
  | { where: Condition };

/**
 * Declares a table with rows of accounts.
 * @param columns all but those with their usual content; or that all are technical
 * @param erasure a kept row says what each column has that is neither a fact nor technical; others that change too
 */
export function personal<Table extends TableName, const Contents extends 'technical' | ContentsOf<Table>>(
  table: Table,
  kind: string,
  owner: Owner<ColumnOf<Table>>,
  columns: Contents,
  erasure: ErasureOf<Table, Contents>,
): PersonalRecord {
  return { table, kind, isOf: conditionsOf(table, owner), columns: columns === 'technical' ? {} : { ...usual, ...columns }, erasure };
}

/** Returns the name of a property's column or of a table, by which the export and `docs/rules/privacy.md` show it. */
export function columnName(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Declares a table without rows of accounts. */
export function impersonal(table: TableName, because: string): ImpersonalRecord {
  return { table, because };
}

function conditionsOf(table: TableName, owner: Owner<string>): Condition[] {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  if ('where' in owner) return [owner.where];
  if ('account' in owner)
    return [owner.account].flat().map(
      (name) =>
        ({ userId }) =>
          sql`${column(name)} = ${userId}`,
    );
  if ('of' in owner) return [(account) => sql`${column(owner.column)} in (${idsOf(owner.of, account, sql`id`)})`];
  const { kind, id, isText, records } = owner.about;
  return Object.entries(records).map(([name, declared]) => (account) => {
    const subject = account.records.find((record) => record.kind === declared);
    if (subject === undefined) throw new TypeError(`${table} is about records of an undeclared kind: ${declared}`);
    return sql`${column(kind)} = ${name} and ${column(id)} in (${idsOf(subject, account, isText ? sql`id::text` : sql`id`)})`;
  });
}

/** Selects the ids of all rows of an account. */
function idsOf({ table, isOf }: PersonalRecord, account: Account, id: RawBuilder<unknown>): RawBuilder<unknown> {
  const selects = isOf.map((condition) => sql`select ${id} from ${sql.table(table)} where ${condition(account)}`);
  return sql.join(selects, sql` union all `);
}
