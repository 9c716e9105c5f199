import { z } from 'zod';
import { type FieldProblem, fieldProblemsOf, isDomainError, validationFailed } from '../errors.ts';
import { examine } from '../platform/command.ts';
import type { Caller, CommandContext } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import type { RequestPart } from './request/validate.ts';

/**
 * A check that needs records or the clock, such as that a document is the caller's or a day has not passed. Commands make these checks
 * under their locks. A route also lists them here, so that a request with a wrong shape gets all problems in one answer (API-2).
 */
export type RecordCheck = TakenParts & (CheckOfRecords | CheckOfContents);

interface TakenParts {
  params: z.ZodObject;
  body: z.ZodObject;
}
interface TakenInput {
  params: unknown;
  body: unknown;
}
interface CheckOfRecords {
  of: 'records';
  run(ctx: CommandContext, input: TakenInput, platform: Pick<Platform, 'config'>): Promise<void>;
}
/** File contents are read outside of a transaction. */
interface CheckOfContents {
  of: 'contents';
  run(platform: Platform, caller: Caller, input: TakenInput): Promise<void>;
}

interface Needs<Params extends z.ZodRawShape, Body extends z.ZodRawShape> {
  params?: Params;
  /** Body fields by schema; for a nested object a schema of the needed fields. */
  body?: Body;
}

/**
 * Declares a check by the parts of a request that it needs; it runs when these parts are valid, whatever the rest.
 * @param run throws validation_failed; any other refusal, such as not_found, is ignored until the shape is right
 */
export function recordCheck<const Params extends z.ZodRawShape = {}, const Body extends z.ZodRawShape = {}>(
  needs: Needs<Params, Body>,
  run: (
    ctx: CommandContext,
    input: { params: z.output<z.ZodObject<Params>>; body: z.output<z.ZodObject<Body>> },
    platform: Pick<Platform, 'config'>,
  ) => void | Promise<unknown>,
): RecordCheck {
  // `run` takes what these schemas return.
  return {
    params: z.object(needs.params ?? {}),
    body: z.object(needs.body ?? {}),
    of: 'records',
    run: async (ctx, input, platform) => void (await run(ctx, input as never, platform)),
  };
}

/** Declares the same for a check before the command, outside of any transaction: the bytes of a file. */
export function contentCheck<const Body extends z.ZodRawShape>(
  needs: { body: Body },
  run: (platform: Platform, caller: Caller, input: { body: z.output<z.ZodObject<Body>> }) => Promise<unknown>,
): RecordCheck {
  return {
    params: z.object({}),
    body: z.object(needs.body),
    of: 'contents',
    // As above.
    run: async (platform, caller, input) => void (await run(platform, caller, input as never)),
  };
}

/**
 * Adds to the refusal of a wrong shape the problems that records show in its valid parts (API-2). Runs the checks in order, in a
 * transaction that is rolled back.
 * @param refusal what validation threw
 * @returns validation_failed with all problems; otherwise the refusal itself
 */
export async function withRecordProblems(
  refusal: unknown,
  checks: readonly RecordCheck[],
  parts: readonly { part: RequestPart; value: unknown }[],
  platform: Platform,
  caller: Caller,
): Promise<unknown> {
  const known = fieldProblemsOf(refusal);
  if (known === null || !isDomainError(refusal)) return refusal;
  const valueOf = (wanted: RequestPart) => parts.find(({ part }) => part === wanted)?.value;
  const ready = checks.flatMap((check) => {
    const [params, body] = [check.params.safeParse(valueOf('params')), check.body.safeParse(valueOf('body'))];
    return params.success && body.success ? [{ check, input: { params: params.data, body: body.data } }] : [];
  });
  if (ready.length === 0) return refusal;
  const found = await examine(platform, caller, async (ctx) => {
    const problems: FieldProblem[] = [];
    for (const { check, input } of ready)
      if (check.of === 'records') problems.push(...(await problemsOf(() => check.run(ctx, input, platform))));
    return problems;
  });
  for (const { check, input } of ready)
    if (check.of === 'contents') found.push(...(await problemsOf(() => check.run(platform, caller, input))));
  const told = new Set(known.map(({ path }) => path));
  const more = found.filter(({ path }) => !told.has(path) && told.add(path));
  const untold = refusal.details?.['more'];
  return more.length === 0 ? refusal : validationFailed([...known, ...more], typeof untold === 'number' ? untold : 0);
}

async function problemsOf(check: () => Promise<void>): Promise<FieldProblem[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return fieldProblemsOf(error) ?? [];
  }
}
