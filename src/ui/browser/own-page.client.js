// @ts-check

/**
 * Says whose page this is: what it asks for is done for nobody else, who may have signed in in another tab meanwhile.
 * @returns {Record<string, string>}
 */
export function ownHeaders() {
  const account = globalThis.document?.body?.dataset.account;
  return account === undefined ? {} : { "holdfast-account": account };
}
