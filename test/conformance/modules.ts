import { BASIC_FLOW } from "./basic-flow.ts";
import { BASIC_SESSION } from "./basic-session.ts";
import { CONFIG_AND_DYNAMIC } from "./config-and-dynamic.ts";
import { FAPI } from "./fapi.ts";
import { LOGOUT } from "./logout.ts";
import type { Module } from "./module.ts";

export const MODULES: readonly Module[] = [
  ...BASIC_FLOW,
  ...BASIC_SESSION,
  ...CONFIG_AND_DYNAMIC,
  ...LOGOUT,
  ...FAPI,
];
