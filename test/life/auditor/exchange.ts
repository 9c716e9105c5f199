/** A request and its answer, as the auditor sees it. */
export interface Exchange {
  /** Method and path as in the OpenAPI document. */
  operation: string;
  by: { accountId: number; name: string };
  params: Record<string, number | string>;
  query: string;
  body: unknown;
  status: number;
  // A clerk reads what is there; each question names the fields that it needs.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  meta: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  error: any;
  requestId: string;
  bytes: Buffer;
  /** By the registry's clock. */
  at: Date;
}
