import { Connection } from '@temporalio/client';

/** A further namespace on the Temporal of a stack. A new one is known to the whole server a moment after it was made. */
export async function makeNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  } finally {
    await connection.close();
  }
}
