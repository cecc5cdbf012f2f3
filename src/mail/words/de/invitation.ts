import type { invitationMailWords as English } from "../en/invitation.ts";

export const invitationMailWords: typeof English = {
  subject: (service) => `Eine Einladung zu ${service}`,
  invited: (host) =>
    `Sie sind eingeladen, bei ${host} ein Konto zu erstellen, mit dieser Adresse und einem Passkey. Öffnen Sie diesen Link:`,
  until: (time) => `Er funktioniert einmal, bis ${time}.`,
  unknown: "Wenn Sie davon nichts wissen, ignorieren Sie diese E-Mail: Ohne Sie geschieht nichts.",
};
