import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { FOR_TOKENS } from "../../http/response/security-headers.ts";
import { createPreflightEndpoint, TOKEN_HEADERS } from "../../http/preflight.ts";
import { createRpcEndpoint } from "./rpc.ts";
import { createSigningEndpoints } from "./sign.ts";
import { createWeb3SignerEndpoint } from "./web3signer.ts";
import { legacyRoute } from "../../http/route.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import {
  sessionOrTokenToRead,
  sessionOrTokenToSign,
  token as tokenGuard,
} from "../../http/guard/key-guards.ts";

export function createSigningRoutes(services: Services): readonly Route[] {
  const signing = createSigningEndpoints(services);
  return [
    legacyRoute("POST", "/api/keys/:keyId/sign", sessionOrTokenToSign, signing.signMessage, FOR_TOKENS),
    legacyRoute(
      "POST",
      "/api/keys/:keyId/sign-typed-data",
      sessionOrTokenToSign,
      signing.signTypedData,
      FOR_TOKENS,
    ),
    legacyRoute(
      "POST",
      "/api/keys/:keyId/sign-transaction",
      sessionOrTokenToSign,
      signing.signTransaction,
      FOR_TOKENS,
    ),
    legacyRoute(
      "POST",
      "/api/keys/:keyId/sign-authorization",
      sessionOrTokenToSign,
      signing.signAuthorization,
      FOR_TOKENS,
    ),
    legacyRoute("POST", "/api/keys/:keyId/explain", sessionOrTokenToRead, signing.explain, FOR_TOKENS),
    legacyRoute("POST", "/api/rpc", tokenGuard, createRpcEndpoint(services), FOR_TOKENS),
    legacyRoute(
      "POST",
      "/api/v1/eth1/sign/:identifier",
      tokenGuard,
      createWeb3SignerEndpoint(services),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/keys/:keyId/sign",
      publicAccess,
      createPreflightEndpoint("POST", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/keys/:keyId/sign-typed-data",
      publicAccess,
      createPreflightEndpoint("POST", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/keys/:keyId/sign-transaction",
      publicAccess,
      createPreflightEndpoint("POST", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/keys/:keyId/sign-authorization",
      publicAccess,
      createPreflightEndpoint("POST", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/keys/:keyId/explain",
      publicAccess,
      createPreflightEndpoint("POST", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/rpc",
      publicAccess,
      createPreflightEndpoint("POST", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
  ];
}
