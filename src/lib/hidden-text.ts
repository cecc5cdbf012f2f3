/** A text that nothing prints by mistake: neither a log, nor JSON, nor a stack trace. */
export interface HiddenText {
  /** The text itself, for whoever needs it, at the very place where it is used. */
  reveal(): string;
}

/** Hides a text. */
export function hideText(text: string): HiddenText {
  return Object.freeze({ reveal: () => text });
}
