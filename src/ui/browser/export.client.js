// @ts-check
import { readProblem } from "./api.client.js";
import { ownHeaders } from "./own-page.client.js";

/** Fetches the file of one's data and has the browser save it. Throws ApiError, and what fetch throws. */
export async function saveExport() {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...ownHeaders() },
    body: "{}",
  };
  const response = await fetch("/api/auth/account/export", { ...init, cache: "no-store", redirect: "error" });
  if (!response.ok) throw await readProblem(response);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = "holdfast-export.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
