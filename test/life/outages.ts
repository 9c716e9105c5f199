import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket, connect } from 'node:net';
import { join } from 'node:path';

/** A way to a server that can be cut: open connections break, and new ones are refused. */
export class CuttableWay {
  readonly #target: { host: string; port: number };
  readonly #open = new Set<Socket>();
  #server: Server;
  #port = 0;

  private constructor(target: string) {
    const [host = '', port = ''] = target.split(':');
    this.#target = { host, port: Number(port) };
    this.#server = this.#newServer();
  }

  /** @param target host:port */
  static async open(target: string): Promise<CuttableWay> {
    const way = new CuttableWay(target);
    await way.#listen();
    return way;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Cuts the way for as long as the work takes. */
  async cutDuring(work: () => Promise<void>): Promise<void> {
    await this.close();
    try {
      await work();
    } finally {
      this.#server = this.#newServer();
      await this.#listen();
    }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #newServer(): Server {
    return createServer((socket) => {
      const onward = connect(this.#target);
      for (const [from, to] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#open.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#open.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
  }

  async #listen(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(this.#port, '127.0.0.1', done));
    const address = this.#server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }
}

/** The files of a registry, which can be taken away as a network disk is. Each change is one rename of a link. */
export class RemovableFiles {
  readonly #link: string;
  readonly #stored: string;
  readonly #absent: string;

  constructor(dataDir: string) {
    [this.#link, this.#stored, this.#absent] = ['files', 'files-stored', 'files-absent'].map((name) => join(dataDir, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(this.#stored);
    writeFileSync(this.#absent, '');
    this.#pointTo(this.#stored);
  }

  /** Takes the files away for as long as the work takes. */
  async removeDuring(work: () => Promise<void>): Promise<void> {
    this.#pointTo(this.#absent);
    try {
      await work();
    } finally {
      this.#pointTo(this.#stored);
    }
  }

  #pointTo(target: string): void {
    symlinkSync(target, `${this.#link}.next`);
    renameSync(`${this.#link}.next`, this.#link);
  }
}
