/** The kinds of long-lived process that a record can have; the id of the workflow is `kind/id` (design.md "Processes"). */
export const processKinds = ['application', 'document', 'profile', 'invoice', 'captcha', 'password-reset'] as const;
export type ProcessKind = (typeof processKinds)[number];

/** Names the process of a record: `application/12`. It is the workflow's id. */
export type ProcessRef = `${ProcessKind}/${string}`;

export function processRef(kind: ProcessKind, id: number | string): ProcessRef {
  return `${kind}/${id}`;
}

/** @throws {RangeError} when the text names no process of ours. */
export function parseProcessRef(ref: string): { kind: ProcessKind; id: string } {
  const slash = ref.indexOf('/');
  const kind = processKinds.find((candidate) => candidate === ref.slice(0, slash));
  if (!kind) throw new RangeError(`no process has the id ${ref}`);
  return { kind, id: ref.slice(slash + 1) };
}
