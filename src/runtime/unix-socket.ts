import { connect } from "node:net";
import { Duplex } from "node:stream";

interface DenoConnection {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  closeWrite(): Promise<void>;
  close(): void;
}

interface DenoNet {
  connect(options: { transport: "unix"; path: string }): Promise<DenoConnection>;
}

const CHUNK = 64 * 1024;

function connectWithNode(path: string): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const socket = connect({ path });
  socket.once("connect", () => resolve(socket));
  // Stays registered, because the caller may have removed its listeners when the socket fails.
  socket.on("error", reject);
  return promise;
}

async function writeAll(connection: DenoConnection, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}

function toDuplex(connection: DenoConnection): Duplex {
  const duplex = new Duplex({
    read() {
      const buffer = new Uint8Array(CHUNK);
      connection.read(buffer).then(
        (length) => this.push(length === null ? null : buffer.subarray(0, length)),
        (error: Error) => this.destroy(error),
      );
    },
    write(bytes: Uint8Array, _encoding, done) {
      writeAll(connection, bytes).then(() => done(), done);
    },
    final(done) {
      connection.closeWrite().then(() => done(), done);
    },
    destroy(error, done) {
      connection.close();
      done(error);
    },
  });
  return duplex.on("error", () => {});
}

/**
 * Connects to a unix socket. Rejects with the operating system's `code` if no process listens.
 *
 * Does not use `node:net` on Deno, which closes the descriptor of a unix socket twice (seen in 2.9.5). The second
 * close may hit another connection or the database.
 */
export async function connectUnix(path: string): Promise<Duplex> {
  const deno = (globalThis as { Deno?: DenoNet }).Deno;
  if (deno === undefined) return await connectWithNode(path);
  return toDuplex(await deno.connect({ transport: "unix", path }));
}
