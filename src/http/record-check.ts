import { z } from 'zod';
import { type FieldProblem, fieldProblemsOf, isDomainError, validationFailed } from '../errors.ts';
import { examine } from '../platform/command.ts';
import type { Caller, CommandContext } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import type { RequestPart } from './request/validate.ts';

/**
 * Something about a request that only records or the clock can tell: that a document is the caller's, that a day has not passed. A
 * command makes such checks under its locks; a route names those of its command here, so that a request whose shape is wrong is told
 * their problems in the same round.
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
/** What a file holds is no question to ask in a transaction. */
interface CheckOfContents {
  of: 'contents';
  run(platform: Platform, caller: Caller, input: TakenInput): Promise<void>;
}

interface Needs<Params extends z.ZodRawShape, Body extends z.ZodRawShape> {
  params?: Params;
  /** Fields of the body by their schemas; of a nested object a schema of the fields that matter. */
  body?: Body;
}

/**
 * Declares a check by what it takes of a request; it is made when that much of the request is sound, whatever is wrong with the rest.
 * @param run throws validation_failed; any other refusal (not_found above all) is not told before the shape is right
 */
export function recordCheck<const Params extends z.ZodRawShape = {}, const Body extends z.ZodRawShape = {}>(
  needs: Needs<Params, Body>,
  run: (
    ctx: CommandContext,
    input: { params: z.output<z.ZodObject<Params>>; body: z.output<z.ZodObject<Body>> },
    platform: Pick<Platform, 'config'>,
  ) => void | Promise<unknown>,
): RecordCheck {
  // What was parsed by these schemas is what `run` takes.
  return {
    params: z.object(needs.params ?? {}),
    body: z.object(needs.body ?? {}),
    of: 'records',
    run: async (ctx, input, platform) => void (await run(ctx, input as never, platform)),
  };
}

/** The same for what the route looks at before its command, outside of any transaction: the bytes of a file. */
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
 * The refusal of a request with a wrong shape, with the problems that its sound parts have by the records (decisions.md §1: all of them).
 * The checks are made as commands make them, one after the other, and nothing of them stays.
 * @param refusal what validation threw
 * @returns validation_failed with all problems; the refusal itself when there are no more, or when it is another
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
