import { RequestOptions } from "../../api/webauthn.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import {
  approveDevice,
  createDeviceApprovalOptions,
  denyDeviceRequest,
  getDevice,
  GivenDeviceRequest,
  showDevice,
} from "./device.ts";

const tag = "OAuth";

export const DEVICE_ROUTES: readonly Route[] = [
  route("GET", "/api/auth/device", getDevice, {
    id: "getDeviceRequest",
    tag,
    summary: "Get what a device asks for, by its user code (RFC 8628)",
    returns: { 200: GivenDeviceRequest },
    limits: ["device_user_code"],
    codes: ["not_found"],
  }),
  route("POST", "/api/auth/device/approval/options", createDeviceApprovalOptions, {
    id: "getDeviceApprovalOptions",
    tag,
    summary: "Get passkey options that approve this device only",
    returns: { 200: RequestOptions },
    limits: ["device_user_code", "passkey_ceremony"],
    codes: ["not_found", "no_access"],
  }),
  route("POST", "/api/auth/device/approval", approveDevice, {
    id: "approveDevice",
    tag,
    summary: "Approve a device with a passkey",
    returns: { 204: null },
    limits: ["device_user_code"],
    codes: ["not_found", "no_access", "invalid_passkey", "recently_recovered"],
  }),
  route("POST", "/api/auth/device/denial", denyDeviceRequest, {
    id: "denyDevice",
    tag,
    summary: "Deny a device",
    returns: { 204: null },
    limits: ["device_user_code"],
    codes: ["not_found"],
  }),
  pageRoute("GET", "/device", showDevice, {
    id: "devicePage",
    summary: "The page on which a user enters the code of a device and decides",
    description: "404 with the form for another code if the code is unknown or has expired.",
    limits: ["device_user_code"],
    codes: ["not_found"],
  }),
];
