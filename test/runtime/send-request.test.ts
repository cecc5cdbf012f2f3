import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { describe, test } from "node:test";
import { sendRequest } from "../../src/runtime/send-request.ts";

const init = { headers: {}, signal: new AbortController().signal };

describe("sendRequest()", () => {
  test("connects to the given address, and sends the host", async () => {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => body += String(chunk));
      request.on("end", () => response.writeHead(201, { "x-host": request.headers.host! }).end(body));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    for (const addresses of [["127.0.0.1"], ["::1", "127.0.0.1"]]) {
      const url = `http://app.invalid:${port}/`;
      const { status, headers, body } = await sendRequest(url, {
        ...init,
        method: "POST",
        body: "ü",
        addresses,
      });
      const text = await new Response(body as BodyInit).text();
      assert.deepEqual([status, headers.get("x-host"), text], [201, `app.invalid:${port}`, "ü"]);
    }
    await assert.rejects(
      sendRequest(`http://localhost:${port}/`, { ...init, method: "GET", addresses: ["127.0.0.9"] }),
      /ECONNREFUSED|refused/i,
    );
    server.closeAllConnections();
    server.close();
  });

  test("sends bytes unchanged, with one length and one type", async () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk as Buffer));
      request.on("end", () => {
        const names = request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) =>
          name.toLowerCase()
        );
        const own = names.filter((name) => name.startsWith("content-"));
        response.writeHead(201, { "x-names": own.toSorted().join(" ") }).end(Buffer.concat(chunks));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const bytes = Uint8Array.from({ length: 5000 }, (_, index) => index % 256);
    const response = await sendRequest(`http://app.invalid:${(server.address() as AddressInfo).port}/`, {
      ...init,
      method: "POST",
      headers: { "content-type": "application/octet-stream", "content-length": "5000" },
      bytes,
      addresses: ["127.0.0.1"],
    });
    assert.equal(response.headers.get("x-names"), "content-length content-type");
    assert.deepEqual(await new Response(response.body as BodyInit).bytes(), bytes);
    server.closeAllConnections();
    server.close();
  });

  test("sends the host in TLS", async () => {
    const hello = Promise.withResolvers<string>();
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (data) => {
        hello.resolve(data.toString("latin1"));
        socket.destroy();
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `https://app.invalid:${(server.address() as AddressInfo).port}/`;
    await assert.rejects(
      sendRequest(url, { ...init, method: "GET", addresses: ["127.0.0.1"] }),
      /ECONNRESET|socket|connection/i,
    );
    assert.ok((await hello.promise).includes("app.invalid"));
    server.close();
  });

  test("ends where a response switches the protocol", async () => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://app.invalid:${(server.address() as AddressInfo).port}/`;
    await assert.rejects(
      sendRequest(url, { ...init, method: "GET", addresses: ["127.0.0.1"] }),
      /switches the protocol/,
    );
    server.close();
  });

  test("ends with its signal where nothing answers", async () => {
    const stop = new AbortController();
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => stop.abort(new Error("too late")));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://app.invalid:${(server.address() as AddressInfo).port}/`;
    const sent = sendRequest(url, { ...init, method: "GET", addresses: ["127.0.0.1"], signal: stop.signal });
    await assert.rejects(sent, /too late|abort/i);
    server.close();
  });
});
