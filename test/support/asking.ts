import assert from "node:assert/strict";
import { keccak256, toHex } from "viem";
import type { TestApp } from "./app.ts";
import { signUp } from "./client.ts";
import type { Answer, Client } from "./client.ts";

export const REQUESTS = "/api/signing-requests";

/** The contract of the typed data in these tests. */
export const CONTRACT = "0x00000000000000000000000000000000000000aa";

function typedDataRule(encodeType: string): object {
  const typeHash = keccak256(toHex(encodeType));
  return { chainId: "1", verifyingContract: CONTRACT, typeHash, outcome: "ask" };
}

/** A policy that requires the owner's approval of every signature in these tests. */
export const ASKING_POLICY = {
  version: 1,
  messages: { text: "ask", bytes: "ask" },
  raw: "ask",
  digest: "ask",
  typedData: [
    typedDataRule("Greeting(string text,uint256 count)"),
    typedDataRule("Pay(address to,string memo)"),
    typedDataRule("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
  ],
  transactions: [{
    chainId: "1",
    to: "any",
    valueAtMost: "1000000000000000000",
    feeAtMost: "1000000000000000000",
    selectors: ["0x"],
    outcome: "ask",
  }],
  authorizations: [{ chainId: "1", delegates: "any", outcome: "ask" }],
};

/** The terms of a token whose signatures require the owner's approval. */
export const ASKING_TERMS = {
  name: "Payroll",
  keys: "all",
  actions: ["read", "sign"],
  policy: ASKING_POLICY,
};

/** An account with a key. */
export interface Owner {
  readonly person: Client;
  readonly accountId: string;
  readonly keyId: string;
  readonly address: string;
}

export async function newOwner(app: TestApp, email = "ada@example.com"): Promise<Owner> {
  const person = app.client();
  const { body } = await signUp(person, email);
  return { person, accountId: body.account.id, keyId: body.key.id, address: body.key.address };
}

/** A program with a token and its own address. */
export interface Program {
  readonly tokenId: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  remove(path: string): Promise<Answer>;
}

/** Creates a program with a token of the account, whose signatures require the owner's approval. */
export async function newProgram(app: TestApp, { person }: Owner, terms: object = {}): Promise<Program> {
  const made = await person.post("/api/auth/tokens", { ...ASKING_TERMS, ...terms });
  assert.equal(made.status, 201, made.text);
  return newProgramOf(app, made.body.token.id, made.body.text);
}

export function newProgramOf(app: Pick<TestApp, "client">, tokenId: string, text: string): Program {
  const client = app.client("192.0.2.9");
  const authorization = `Bearer ${text}`;
  return {
    tokenId,
    get: (path, headers = {}) => client.get(path, { headers: { authorization, ...headers } }),
    post: (path, body) => client.post(path, body, { headers: { authorization } }),
    remove: (path) => client.request("DELETE", path, { headers: { authorization } }),
  };
}

/** Asks for a signature and returns the id of the pending signing request. */
export async function ask(program: Pick<Program, "post">, keyId: string, message = "hello"): Promise<string> {
  const answer = await program.post(`/api/keys/${keyId}/sign`, { message });
  assert.equal(answer.status, 202, answer.text);
  assert.equal(answer.headers.get("location"), `${REQUESTS}/${answer.body.request.id}`);
  return answer.body.request.id;
}

/** Returns the assertion that approves a request. Uses the owner's passkey, or that of another client. */
export async function assertionFor(person: Client, id: string, by: Client = person): Promise<unknown> {
  const options = await person.post(`${REQUESTS}/${id}/approval/options`);
  assert.equal(options.status, 200, options.text);
  return await by.authenticator.authenticate(
    { ...options.body, allowCredentials: [] },
    { origin: person.origin },
  );
}

export async function approve(person: Client, id: string): Promise<Answer> {
  return await person.post(`${REQUESTS}/${id}/approval`, { response: await assertionFor(person, id) });
}

export function codeOf({ status, body }: Answer): string {
  return body?.code === undefined ? String(status) : `${status} ${body.code}`;
}
