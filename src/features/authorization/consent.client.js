// @ts-check
import { enableOwnPolicy } from "./own-policy.client.js";

enableOwnPolicy();
