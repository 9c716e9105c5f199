import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** What a process shows on `METRICS_PORT`. */
export interface Operations {
  /** Metrics in the Prometheus text format. */
  metrics(): Promise<string>;
  metricsType: string;
  readiness(): { status: 'ok' | 'not_ready'; reason: string | null };
}

/** Serves `/metrics`, `/health/live` and `/health/ready` on a port of their own, for the API and for workers. */
export async function serveOperations({ port, host }: { port: number; host: string }, operations: Operations): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string) => response.writeHead(status, { 'Content-Type': type }).end(body);
    const answerJson = (status: number, data: object) => answer(status, 'application/json', JSON.stringify({ data }));
    switch (request.url?.split('?')[0]) {
      case '/health/live':
        return answerJson(200, { status: 'ok' });
      case '/health/ready': {
        const readiness = operations.readiness();
        return answerJson(readiness.status === 'ok' ? 200 : 503, readiness);
      }
      case '/metrics':
        operations.metrics().then(
          (text) => answer(200, operations.metricsType, text),
          () => answer(503, 'text/plain', 'The metrics cannot be read.'),
        );
        return undefined;
      case undefined:
      default:
        return answer(404, 'text/plain', 'Known paths: /metrics, /health/live, /health/ready.');
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
