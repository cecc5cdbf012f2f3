/** Maximum number of URIs of each kind. */
export const URI_LIMIT = 50;

/** Maximum characters of a name. */
export const NAME_LIMIT = 100;
