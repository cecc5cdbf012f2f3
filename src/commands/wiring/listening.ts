const THIS_MACHINE = /^(?:127\.[\d.]+|::1|localhost)$/;

/**
 * The line that says where a server is found, and where it listens when that is more than this machine: a port that is
 * open to a whole network should be seen to be.
 */
export function listeningLine(baseUrl: string, host: string, port: number): string {
  const where = THIS_MACHINE.test(host) ? "" : ` (port ${port} of address ${host})`;
  return `listening on ${baseUrl}${where}\n`;
}

/**
 * What somebody who has just started it in development on a terminal does next: what to open, where codes appear, and
 * what it is not fit for. `codes`: whether mails go to their addresses or to the terminal and the outbox.
 */
export function firstWords(baseUrl: string, codes: "sent" | "outbox"): string {
  const where = codes === "sent"
    ? ""
    : `  No mail is sent: codes appear here and at ${baseUrl}/dev/outbox.\n`;
  return `\n  Open ${baseUrl} and make an account.\n${where}` +
    "  Development: the TEE is simulated. Whoever runs this machine can read the keys.\n\n";
}
