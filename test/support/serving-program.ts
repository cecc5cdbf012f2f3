import process from "node:process";
import { serve } from "../../src/runtime/serve.ts";
import { onShutdownSignal } from "../../src/runtime/shutdown-signal.ts";

// A process for the tests of signals. It serves one request, which takes half a second, and prints when it has come.

const server = await serve({
  hostname: "127.0.0.1",
  port: 0,
  handler: async () => {
    process.stdout.write("asked\n");
    await new Promise((resolve) => setTimeout(resolve, 500));
    return new Response("finished");
  },
});
onShutdownSignal(async (signal) => {
  await server.stop();
  process.stdout.write(`stopped by ${signal}\n`);
  process.exit(0);
});
process.stdout.write(`${server.port}\n`);
