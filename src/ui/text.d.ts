/** Files imported as text only. Scripts have the types of their modules; `assets.ts` reads their text. */
declare module "*.css";
declare module "*.svg";
