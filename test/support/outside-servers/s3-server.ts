import { createRequire } from 'node:module';

type S3rver = { run: () => Promise<{ address: string; port: number }>; close: () => Promise<void> };
type S3rverClass = new (options: Record<string, unknown>) => S3rver;
type Account = { createKeyPair(accessKeyId: string, secretAccessKey: string): void };

const require = createRequire(import.meta.url);

export interface S3Server {
  endpoint: string;
  close: () => Promise<void>;
}

/** An S3-compatible server with one bucket and one pair of keys. @param directory where it keeps the objects */
export async function startS3Server(options: {
  directory: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}): Promise<S3Server> {
  const Server = require('@20minutes/s3rver') as S3rverClass;
  const accounts = require('@20minutes/s3rver/lib/models/account') as { DUMMY_ACCOUNT: Account };
  accounts.DUMMY_ACCOUNT.createKeyPair(options.accessKeyId, options.secretAccessKey);
  const server = new Server({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: options.directory,
    configureBuckets: [{ name: options.bucket }],
    // It miscounts the signature of a request for the bucket itself; signing is the SDK's work, and is not what is tested here.
    allowMismatchedSignatures: true,
  });
  const { port } = await server.run();
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
}
