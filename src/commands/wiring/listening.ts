const THIS_MACHINE = /^(?:127\.[\d.]+|::1|localhost)$/;

/**
 * The line that says where a server is found, and where it listens when that is more than this machine: a port that is
 * open to a whole network should be seen to be.
 */
export function listeningLine(baseUrl: string, host: string, port: number): string {
  const where = THIS_MACHINE.test(host) ? "" : ` (port ${port} of address ${host})`;
  return `listening on ${baseUrl}${where}\n`;
}
