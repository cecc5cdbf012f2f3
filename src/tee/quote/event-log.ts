/** What dstack's boot says of a workload in its event log. */
export interface LoggedWorkload {
  readonly appId: Uint8Array | undefined;
  readonly composeHash: Uint8Array | undefined;
  readonly instanceId: Uint8Array | undefined;
  readonly osImageHash: Uint8Array | undefined;
  /** JSON with name and id of who gave the keys. */
  readonly keyProvider: Uint8Array | undefined;
}
