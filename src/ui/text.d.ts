/** Files that are imported as text only. Scripts are typed as the modules they are; `assets.ts` asks for their text. */
declare module "*.css";
declare module "*.svg";
