import type { RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";
import { readServiceCookie, setServiceCookie } from "./cookies.ts";

/** The header in which programs receive a receipt with a signature, and may present it later. */
const RECEIPT_HEADER = "Holdfast-Witness";

type LogReceiptServices = Pick<Services, "logReceipt" | "baseUrl">;

/**
 * Verifies the receipts in the cookie and the header. A receipt of an entry that is missing from the log stops all
 * recording. Returns the cookie's receipt, even if it is invalid.
 */
export async function verifyLogReceipts(
  context: RequestContext,
  { logReceipt, baseUrl }: LogReceiptServices,
): Promise<string | undefined> {
  const presented = readServiceCookie(context, "logReceipt", baseUrl);
  if (presented !== undefined) await logReceipt.verify(presented);
  const shown = context.request.headers.get(RECEIPT_HEADER);
  if (shown !== null) await logReceipt.verify(shown);
  return presented;
}

/** Sets a new receipt cookie for a signed-in browser, if the current one is due. */
export function renewLogReceipt(
  context: RequestContext,
  services: LogReceiptServices,
  presented: string | undefined,
): void {
  setReceiptCookie(context, services, services.logReceipt.renew(presented, context.now));
}

/** Sets a receipt cookie for a browser that has just signed in. */
export function setLogReceipt(context: RequestContext, services: LogReceiptServices): void {
  setReceiptCookie(context, services, services.logReceipt.issue(context.now));
}

function setReceiptCookie(
  { responseHeaders }: RequestContext,
  { baseUrl }: LogReceiptServices,
  receipt: string | undefined,
): void {
  if (receipt !== undefined) {
    responseHeaders.set("logReceipt", setServiceCookie("logReceipt", receipt, baseUrl));
  }
}

/** Adds a receipt header for programs. Adds none while recording is stopped. */
export function addLogReceipt(
  { headers }: Response,
  { now }: RequestContext,
  { logReceipt }: Pick<Services, "logReceipt">,
): void {
  const receipt = logReceipt.issue(now);
  if (receipt !== undefined) headers.set(RECEIPT_HEADER, receipt);
}
