import { describe, test } from "node:test";
import { assertFaults, EXPIRED, TO_COME, verifyKit } from "./fixture.ts";
import type { Negative } from "./fixture.ts";

const QUOTING_ENCLAVE: readonly Negative[] = [
  [
    "another key signed the report",
    { signers: { qeReport: "stranger" } },
    ["qe_report"],
    /not signed by the PCK/,
  ],
  [
    "the report binds another key",
    { qeReport: { reportData: "00".repeat(64) } },
    ["qe_report"],
    /another attestation key/,
  ],
  ["its signer is another", { qeReport: { mrSigner: "dd".repeat(32) } }, ["qe_identity"], /another signer/],
  ["it is another product", { qeReport: { isvProdId: 1 } }, ["qe_identity"], /another product/],
  ["its MISCSELECT is another", { qeReport: { miscSelect: "01000000" } }, ["qe_identity"], /MISCSELECT/],
  [
    "it runs under debug",
    { qeReport: { attributes: "13000000000000000000000000000000" } },
    ["qe_identity"],
    /other attributes/,
  ],
  [
    "it is older than any level",
    { qeReport: { isvSvn: 1 } },
    ["qe_identity", "tcb_status"],
    /No TCB level applies to the quoting enclave/,
  ],
  ["it is out of date", { qeReport: { isvSvn: 3 } }, ["tcb_status"], /quoting enclave OutOfDate/],
  [
    "another key signed its identity",
    { signers: { qeIdentity: "stranger" } },
    ["qe_identity"],
    /QE identity is not signed by/,
  ],
  [
    "the PCK key signed its identity",
    { signers: { qeIdentity: "pck" } },
    ["qe_identity"],
    /QE identity is not signed by/,
  ],
  ["its identity is stale", { qeIdentity: (all) => void (all.nextUpdate = "2026-06-15T00:00:00Z") }, [
    "qe_identity",
  ], /was due for renewal/],
  ["its identity is to come", { qeIdentity: (all) => void (all.issueDate = "2026-06-15T00:00:01Z") }, [
    "qe_identity",
  ], /which is in the future/],
  [
    "its identity is SGX's",
    { qeIdentity: (all) => void (all["id"] = "QE") },
    ["qe_identity", "tcb_status"],
    /id is not TD_QE/,
  ],
  ["its identity is of another version", { qeIdentity: (all) => void (all["version"] = 3) }, [
    "qe_identity",
    "tcb_status",
  ], /version is not 2/],
  [
    "its identity was changed",
    { collateral: (all) => void (all.qe_identity += " ") },
    ["qe_identity"],
    /QE identity is not signed by/,
  ],
];

const TCB: readonly Negative[] = [
  [
    "another key signed the quote",
    { signers: { quote: "stranger" } },
    ["quote_signature"],
    /not signed by the attestation key/,
  ],
  [
    "another key signed TCB info",
    { signers: { tcbInfo: "stranger" } },
    ["tcb_info"],
    /TCB info is not signed by/,
  ],
  ["the PCK key signed TCB info", { signers: { tcbInfo: "pck" } }, ["tcb_info"], /TCB info is not signed by/],
  [
    "TCB info is stale",
    { tcbInfo: (all) => void (all.nextUpdate = "2026-06-15T00:00:00Z") },
    ["tcb_info"],
    /was due for renewal/,
  ],
  [
    "TCB info is not valid yet",
    { tcbInfo: (all) => void (all.issueDate = "2026-06-15T00:00:01Z") },
    ["tcb_info"],
    /which is in the future/,
  ],
  [
    "TCB info was changed",
    { collateral: (all) => void (all.tcb_info = all.tcb_info!.replace("OutOfDate", "UpToDate")) },
    ["tcb_info"],
    /TCB info is not signed by/,
  ],
  [
    "TCB info is of another platform",
    { tcbInfo: (all) => void (all.fmspc = "90C06F000001") },
    ["tcb_info"],
    /TCB info is of platform 90c06f000001/,
  ],
  [
    "TCB info is of another PCE",
    { tcbInfo: (all) => void (all.pceId = "0001") },
    ["tcb_info"],
    /TCB info is of platform/,
  ],
  ["TCB info is SGX's", { tcbInfo: (all) => void (all["id"] = "SGX") }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /id is not TDX/],
  ["TCB info is of another version", { tcbInfo: (all) => void (all["version"] = 4) }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /version is not 3/],
  ["TCB info is compared in another way", { tcbInfo: (all) => void (all["tcbType"] = 1) }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /tcbType is not 0/],
  ["TCB info is no JSON", { collateral: (all) => void (all.tcb_info = "{") }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /is no JSON/],
  ["a level has 15 components", { tcbInfo: (all) => void all.tcbLevels[1]!.tcb.tdxtcbcomponents.pop() }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /is not 16 components/],
  ["a status is not known", { tcbInfo: (all) => void (all.tcbLevels[0]!.tcbStatus = "Fine") }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /is not one of/],
  [
    "the signer's certificate expired",
    { tcbSigning: EXPIRED },
    ["qe_identity", "tcb_info"],
    /TCB Signing expired/,
  ],
  [
    "the signer's certificate is not valid yet",
    { tcbSigning: TO_COME },
    ["qe_identity", "tcb_info"],
    /not valid before/,
  ],
  [
    "another key certified the signer",
    { tcbSigning: { signer: "stranger" } },
    ["qe_identity", "tcb_info"],
    /TCB Signing is not signed by/,
  ],
  ["the signer is another", { tcbSigning: { commonName: "SYNTHETIC SGX PCK Certificate" } }, [
    "qe_identity",
    "tcb_info",
  ], /is in the place of SGX TCB Signing/],
  [
    "the signer's chain is missing",
    { tcbSigningChain: () => [] },
    ["root_crl", "qe_identity", "tcb_info"],
    /Needs the chain of TCB info/,
  ],
  [
    "one SGX component is below every level",
    { pck: { components: [1, 3, 2, 2, 4, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0] } },
    ["tcb_status"],
    /No TCB level applies to the platform/,
  ],
  [
    "the PCE is below every level",
    { pck: { pceSvn: 12 } },
    ["tcb_status"],
    /No TCB level applies to the platform/,
  ],
  ["one TDX component is below every level", { report: { teeTcbSvn: "05010100000000000000000000000000" } }, [
    "tcb_status",
  ], /No TCB level applies to the platform/],
  [
    "the platform is one step back",
    { pck: { components: [2, 3, 2, 2, 4, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0] } },
    ["tcb_status"],
    /platform OutOfDate.*INTEL-SA-00001/,
  ],
  ["the TDX module is out of date", { report: { teeTcbSvn: "03010200000000000000000000000000" } }, [
    "tcb_status",
  ], /TDX module OutOfDate/],
  ["the TDX module is older than any level", { report: { teeTcbSvn: "01010200000000000000000000000000" } }, [
    "tdx_module",
    "tcb_status",
  ], /No TCB level applies to the TDX module TDX_01/],
  ["the TDX module is not known", { report: { teeTcbSvn: "05020200000000000000000000000000" } }, [
    "tdx_module",
    "tcb_status",
  ], /does not know the TDX module TDX_02/],
  [
    "the TDX module 0 is below the level's first component",
    { report: { teeTcbSvn: "04000200000000000000000000000000" } },
    ["tcb_status"],
    /No TCB level applies to the platform/,
  ],
  [
    "the TDX module has a signer",
    { report: { mrSignerSeam: "01" } },
    ["tdx_module", "tcb_status"],
    /TDX module has another signer/,
  ],
  [
    "TCB info wants a signer of the TDX module",
    { tcbInfo: (all) => void (all.tdxModuleIdentities[1]!.mrsigner = "01".repeat(48)) },
    ["tdx_module", "tcb_status"],
    /TDX module has another signer/,
  ],
  [
    "the TDX module has a signer that TCB info wants",
    {
      report: { mrSignerSeam: "01".repeat(48) },
      tcbInfo: (all) =>
        [all.tdxModule, ...all.tdxModuleIdentities].forEach((one) => one.mrsigner = "01".repeat(48)),
    },
    ["tdx_module", "tcb_status"],
    /TDX module has another signer/,
  ],
  [
    "TCB info wants attributes of the TDX module",
    {
      tcbInfo: (all) => void (all.tdxModuleIdentities[1]!.attributes = "0000000000000001"),
    },
    ["tdx_module", "tcb_status"],
    /TDX module has other attributes/,
  ],
  [
    "TCB info wants a signer of the TDX module 0",
    {
      report: { teeTcbSvn: "05000200000000000000000000000000" },
      tcbInfo: (all) => void (all.tdxModule.mrsigner = "01".repeat(48)),
    },
    ["tdx_module", "tcb_status"],
    /TDX module has another signer/,
  ],
  [
    "TCB info wants attributes of the TDX module 0",
    {
      report: { teeTcbSvn: "05000200000000000000000000000000" },
      tcbInfo: (all) => void (all.tdxModule.attributes = "0000000000000001"),
    },
    ["tdx_module", "tcb_status"],
    /TDX module has other attributes/,
  ],
  ["the TDX module has attributes", { report: { seamAttributes: "0000000000000080" } }, [
    "tdx_module",
    "tcb_status",
  ], /TDX module has other attributes/],
];

describe("verifyQuote()", () => {
  for (const [title, knobs, checks, detail] of TCB) {
    test(`refuses a quote when ${title}`, () => assertFaults(verifyKit(knobs), checks, detail));
  }

  for (const [title, knobs, checks, detail] of QUOTING_ENCLAVE) {
    test(`refuses a quoting enclave when ${title}`, () => assertFaults(verifyKit(knobs), checks, detail));
  }
});
