import { isLoopbackName } from "../lib/ip-address.ts";
import type { MailFrom, SmtpServer } from "../mail/smtp.ts";

type Faults = string[];

export type PublicSmtpServer = Omit<SmtpServer, "login">;

const EXAMPLE = "SMTP_URL must be smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465";

/** A host name or IP address. The URL parser does not check the host of unknown schemes. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/i;

function isLoopbackHost(host: string): boolean {
  return isLoopbackName(host.toLowerCase()) || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Returns the percent-decoded login, or undefined if there is none. */
function readLogin({ username, password }: URL): SmtpServer["login"] | "unreadable" {
  if (username === "" && password === "") return undefined;
  try {
    const login = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
    const isWhole = login.user !== "" && login.password !== "";
    return isWhole && !/\p{Cc}/u.test(login.user + login.password) ? login : "unreadable";
  } catch {
    return "unreadable";
  }
}

/**
 * Reads the server of `SMTP_URL`, including the password. `smtps` is implicit TLS; `smtp` is STARTTLS, or plain text
 * on loopback. A fault never echoes a value.
 */
export function readSmtpServer(text: string, faults: Faults): SmtpServer | undefined {
  if (text === "") return undefined;
  const url = URL.parse(text);
  const isSmtp = url?.protocol === "smtp:" || url?.protocol === "smtps:";
  if (url === null || !isSmtp || !HOST.test(url.hostname) || url.port === "0") {
    faults.push(EXAMPLE);
    return undefined;
  }
  if (!["", "/"].includes(url.pathname) || /[?#]/.test(text)) {
    faults.push("SMTP_URL must have no path and no options after the host");
    return undefined;
  }
  const login = readLogin(url);
  if (login === "unreadable") {
    faults.push("SMTP_URL must have user and password, percent-encoded, or neither");
    return undefined;
  }
  const isImplicit = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return {
    host,
    port: url.port === "" ? (isImplicit ? 465 : 587) : Number(url.port),
    security: isImplicit ? "tls" : isLoopbackHost(host) ? "none" : "starttls",
    login,
  };
}

export function readPublicSmtpServer(text: string, faults: Faults): PublicSmtpServer | undefined {
  const server = readSmtpServer(text, faults);
  return server && { host: server.host, port: server.port, security: server.security };
}

const ADDRESS = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;
const NAMED = /^([^\p{Cc}\p{Zl}\p{Zp}"<>]{1,100}?) *<([^<>]*)>$/u;

/** Reads the sender of `MAIL_FROM`: `address` or `Name <address>`. */
export function readMailFrom(text: string, faults: Faults): MailFrom | undefined {
  if (text === "") return undefined;
  const [, name = "", address = text] = NAMED.exec(text) ?? [];
  if (ADDRESS.test(address)) return { name: name.trim(), address };
  faults.push("MAIL_FROM must be an address, or a name without quotation marks and then <address>");
  return undefined;
}

export function checkMail(environment: Readonly<Record<string, string | undefined>>, faults: Faults): void {
  const { SMTP_URL: server, MAIL_FROM: from } = environment;
  if (server && !from) faults.push("MAIL_FROM must be set with SMTP_URL: the address that mails come from");
  if (from && !server) faults.push("SMTP_URL must be set with MAIL_FROM: the server that sends the mails");
}
