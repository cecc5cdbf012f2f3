import type { Json } from "../source.ts";
import { act, amount, type Deployment, descriptor, field, party, TEXT } from "./form.ts";

const V2_ROUTERS: readonly Deployment[] = [[[1], "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D"]];

const V3_ROUTERS: readonly Deployment[] = [
  [[1, 10, 137, 42161], "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45"],
  [[8453], "0x2626664c2603336E57B271c5C0b26F421741e481"],
];

const [FIRST, LAST] = ["path.[0]", "path.[-1]"];
const END = "address[] path,address to,uint256 deadline)";

/** Returns the format of a swap along a list of tokens: an amount of tokens, or of the native currency. */
function along(
  sentence: "swapLeast" | "swapMost",
  given: string | "value",
  taken: readonly [path: string, isNative: boolean],
): Json {
  const isNative = given === "value";
  const [path, isNativeTaken] = taken;
  return act(sentence, [
    isNative ? field("@.value", TEXT.gives, "amount") : amount(given, FIRST, TEXT.gives),
    isNativeTaken ? field(path, TEXT.gets, "amount") : amount(path, LAST, TEXT.gets),
    party("to", TEXT.sentTo),
  ], {
    gives: isNative ? [] : [[given, FIRST]],
    receives: [[path, isNativeTaken ? "" : LAST]],
    to: "to",
  });
}

const UNISWAP_V2 = descriptor("contract", V2_ROUTERS, {
  [`swapExactTokensForTokens(uint256 amountIn,uint256 amountOutMin,${END}`]: along("swapLeast", "amountIn", [
    "amountOutMin",
    false,
  ]),
  [`swapTokensForExactTokens(uint256 amountOut,uint256 amountInMax,${END}`]: along(
    "swapMost",
    "amountInMax",
    [
      "amountOut",
      false,
    ],
  ),
  [`swapExactETHForTokens(uint256 amountOutMin,${END}`]: along("swapLeast", "value", ["amountOutMin", false]),
  [`swapETHForExactTokens(uint256 amountOut,${END}`]: along("swapMost", "value", ["amountOut", false]),
  [`swapExactTokensForETH(uint256 amountIn,uint256 amountOutMin,${END}`]: along("swapLeast", "amountIn", [
    "amountOutMin",
    true,
  ]),
  [`swapTokensForExactETH(uint256 amountOut,uint256 amountInMax,${END}`]: along("swapMost", "amountInMax", [
    "amountOut",
    true,
  ]),
});

const SELF = "0x0000000000000000000000000000000000000001";

/** Returns the format of a swap in pools. The router gives `recipient` 1 a meaning: the caller. */
function inPools(
  sentence: "swapLeast" | "swapMost",
  given: readonly [path: string, token: string],
  taken: readonly [path: string, token: string],
  hops?: string,
): Json {
  return act(sentence, [
    amount(...given, TEXT.gives),
    amount(...taken, TEXT.gets),
    party("params.recipient", TEXT.sentTo, { senderAddress: SELF }),
  ], { gives: [given], receives: [taken], to: "params.recipient", self: SELF, hops });
}

const ONE_POOL = "address tokenIn,address tokenOut,uint24 fee,address recipient,";

const UNISWAP_V3 = descriptor("contract", V3_ROUTERS, {
  [`exactInputSingle((${ONE_POOL}uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)`]:
    inPools("swapLeast", ["params.amountIn", "params.tokenIn"], [
      "params.amountOutMinimum",
      "params.tokenOut",
    ]),
  [`exactOutputSingle((${ONE_POOL}uint256 amountOut,uint256 amountInMaximum,uint160 sqrtPriceLimitX96) params)`]:
    inPools("swapMost", ["params.amountInMaximum", "params.tokenIn"], [
      "params.amountOut",
      "params.tokenOut",
    ]),
  "exactInput((bytes path,address recipient,uint256 amountIn,uint256 amountOutMinimum) params)": inPools(
    "swapLeast",
    ["params.amountIn", "params.path.[:20]"],
    ["params.amountOutMinimum", "params.path.[-20:]"],
    "params.path",
  ),
  // The path of an exact output is written backwards.
  "exactOutput((bytes path,address recipient,uint256 amountOut,uint256 amountInMaximum) params)": inPools(
    "swapMost",
    ["params.amountInMaximum", "params.path.[-20:]"],
    ["params.amountOut", "params.path.[:20]"],
    "params.path",
  ),
});

export const SWAPS: readonly (readonly [name: string, descriptor: Json])[] = [
  ["=Uniswap V2", UNISWAP_V2],
  ["=Uniswap V3", UNISWAP_V3],
];
