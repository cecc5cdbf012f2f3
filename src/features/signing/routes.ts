import * as v from "valibot";
import { Explanation } from "../../api/explanation.ts";
import {
  SignedAuthorization,
  SignedMessage,
  SignedTransaction,
  SignedTypedData,
} from "../../api/signature.ts";
import { PolicyExplanation } from "../../api/policy-explanation.ts";
import { SigningRequestAnswer } from "../../api/signing-request.ts";
import { preflightRoute } from "../../http/preflight.ts";
import { FOR_TOKENS } from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import { explainRequest } from "./explain.ts";
import { explainPolicy, showRuleForm } from "./explain-policy.ts";
import { RpcAnswers } from "./json-rpc.ts";
import { callRpc } from "./rpc.ts";
import {
  Authorization,
  Message,
  PolicyToExplain,
  RpcCall,
  Transaction,
  TypedData,
  Web3SignerBody,
} from "./schema.ts";
import { signAuthorization, signMessage, signTransaction, signTypedData } from "./sign.ts";
import { signAsWeb3Signer } from "./web3signer.ts";

const tag = "Keys";

const SIGNING_CODES = ["key_archived", "policy_denied", "too_many_signing_requests"] as const;

const signing = {
  tag,
  headers: ["Holdfast-Witness"],
  limits: ["sign", "signing_request"],
  isRepeatable: true,
  receipt: true,
} as const;

const orAsking = { ...signing, responseHeaders: { 202: ["Location", "Retry-After"] } } as const;

export const SIGNING_ROUTES: readonly Route[] = [
  route("POST", "/api/keys/:keyId/sign", signMessage, {
    ...orAsking,
    id: "signMessage",
    summary: "Sign a message (EIP-191) or bytes",
    description:
      "Text is always signed as text, even if it looks like hex. Signatures are deterministic (RFC 6979): the " +
      "same request returns the same bytes.",
    body: Message,
    returns: { 200: SignedMessage, 202: SigningRequestAnswer },
    codes: [...SIGNING_CODES, "blind_signing_denied", "looks_like_transaction"],
  }, FOR_TOKENS),
  route("POST", "/api/keys/:keyId/sign-typed-data", signTypedData, {
    ...orAsking,
    id: "signTypedData",
    summary: "Sign typed data (EIP-712)",
    body: TypedData,
    returns: { 200: SignedTypedData, 202: SigningRequestAnswer },
    codes: [...SIGNING_CODES, "invalid_typed_data"],
  }, FOR_TOKENS),
  route("POST", "/api/keys/:keyId/sign-transaction", signTransaction, {
    ...orAsking,
    id: "signTransaction",
    summary: "Sign a transaction",
    description: "You provide nonce, gas and fees: the service reads no chain and sends no transaction.",
    body: Transaction,
    returns: { 200: SignedTransaction, 202: SigningRequestAnswer },
    codes: [...SIGNING_CODES, "invalid_transaction"],
  }, FOR_TOKENS),
  route("POST", "/api/keys/:keyId/sign-authorization", signAuthorization, {
    ...orAsking,
    id: "signAuthorization",
    summary: "Sign an authorization (EIP-7702)",
    body: Authorization,
    returns: { 200: SignedAuthorization, 202: SigningRequestAnswer },
    codes: [...SIGNING_CODES, "invalid_transaction"],
  }, FOR_TOKENS),
  route("POST", "/api/keys/:keyId/explain", explainRequest, {
    id: "explain",
    tag,
    summary: "Explain what a signature would do, without signing",
    description:
      "Takes the body of any signing operation. The response is a part of a page if `Accept` begins with `text/html`.",
    body: v.union([Message, TypedData, Transaction, Authorization]),
    returns: { 200: [Explanation, "page"] },
    limits: ["explain"],
    isRepeatable: true,
    codes: ["invalid_typed_data", "invalid_transaction"],
  }, FOR_TOKENS),
  route("POST", "/api/policies/explain", explainPolicy, {
    id: "explainPolicy",
    tag,
    summary: "Explain a policy, and try it on a request",
    description:
      "Saves, signs and counts nothing. The decision is as if nothing was signed under the policy. For a " +
      "token or an application, the active policy of the key decides as well. The response is a part of a page if " +
      "`Accept` begins with `text/html`.",
    body: PolicyToExplain,
    returns: { 200: [PolicyExplanation, "page"] },
    limits: ["explain"],
    isRepeatable: true,
    codes: ["not_found", "invalid_typed_data", "invalid_transaction"],
  }),
  pageRoute("GET", "/policies/rule", showRuleForm, {
    id: "ruleForm",
    summary: "The form of a policy's rule, as a part of a page",
  }),
  route("POST", "/api/rpc", callRpc, {
    id: "rpc",
    tag,
    summary: "Call a JSON-RPC 2.0 method, or a batch of up to 50",
    description: "`eth_accounts`, `eth_requestAccounts`, `eth_chainId`, `net_version`, `personal_sign`, " +
      "`eth_signTypedData_v4` and its alias `eth_signTypedData`, `eth_signTransaction`, `wallet_getCapabilities`, " +
      "`web3_clientVersion`. Nothing is sent to a chain. A refused call has the problem's code in `error.data.code`.",
    body: v.union([RpcCall, v.array(RpcCall)]),
    headers: ["Holdfast-Witness"],
    isRepeatable: true,
    returns: { 200: RpcAnswers, 204: null },
    limits: ["sign"],
    receipt: true,
  }, FOR_TOKENS),
  route("POST", "/api/v1/eth1/sign/:identifier", signAsWeb3Signer, {
    ...signing,
    id: "signAsWeb3Signer",
    summary: "Sign bytes like Web3Signer",
    description:
      "`identifier` is a public key or an address. The bytes are hashed with keccak-256 and signed blindly, " +
      "like the format `raw`.",
    body: Web3SignerBody,
    returns: { 200: "text" },
    codes: [
      "insufficient_scope",
      "key_archived",
      "policy_denied",
      "blind_signing_denied",
      "looks_like_transaction",
    ],
  }, FOR_TOKENS),
  preflightRoute("/api/keys/:keyId/sign", "POST", FOR_TOKENS),
  preflightRoute("/api/keys/:keyId/sign-typed-data", "POST", FOR_TOKENS),
  preflightRoute("/api/keys/:keyId/sign-transaction", "POST", FOR_TOKENS),
  preflightRoute("/api/keys/:keyId/sign-authorization", "POST", FOR_TOKENS),
  preflightRoute("/api/keys/:keyId/explain", "POST", FOR_TOKENS),
  preflightRoute("/api/rpc", "POST", FOR_TOKENS),
];
