/** The name of the software, and of a service whose operator gave it none. */
export const PRODUCT_NAME = "Holdfast";
