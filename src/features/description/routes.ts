import * as v from "valibot";
import { PUBLIC_API } from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import { getOpenApi, showApi } from "./description.ts";

export const DESCRIPTION_ROUTES: readonly Route[] = [
  route("GET", "/openapi.json", getOpenApi, {
    id: "getOpenApi",
    tag: "Operations",
    summary: "Get this description (OpenAPI 3.1)",
    returns: { 200: v.looseObject({ openapi: v.string() }) },
  }, PUBLIC_API),
  pageRoute("GET", "/docs/api", showApi, { id: "apiPage", summary: "This description as a page" }),
];
