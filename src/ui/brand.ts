import { PRODUCT_NAME } from "../lib/product.ts";
import type { Asset, AssetBody } from "./assets.ts";

export type Logo = Asset<AssetBody>;

/** The name and logo that people see. */
export interface Brand {
  readonly name: string;
  /** undefined = the product's icon. */
  readonly logo?: Logo | undefined;
}

/** The brand of a service whose operator configured none. */
export const PRODUCT: Brand = { name: PRODUCT_NAME };
